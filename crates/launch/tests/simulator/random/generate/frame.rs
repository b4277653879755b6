//! What is around a program's statements: declarations, a value for every register, and the stores at the
//! end.

use super::super::program::Node;
use super::{CLASSES, Counts, PREDICATES, ROW, Writer, ZERO, bits, prefix};

/// The registers of a kernel or function: its own, and scratch ones.
pub(super) fn declarations(counts: Counts) -> Vec<Node> {
    let own = [counts.r, counts.l, counts.h, counts.f, counts.d];
    let mut lines: Vec<String> = CLASSES
        .iter()
        .zip(own)
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| format!(".reg .{} {}<{count}>;", bits(*class), prefix(*class)))
        .collect();
    lines.push(format!(".reg .pred %p<{PREDICATES}>, %q;"));
    lines.push(".reg .b32 %zero, %a, %b, %m, %c<3>;".into());
    lines.push(".reg .b64 %x, %y;".into());
    lines.push(".reg .b16 %u, %v;".into());
    lines.into_iter().map(Node::line).collect()
}

impl Writer {
    /// Declarations, addresses, and a value for every register.
    pub(super) fn prologue(&mut self, body: &[Node], words: usize) -> Vec<Node> {
        let mut text = String::new();
        for node in body {
            node.write(1, &mut text);
        }
        let row = 8 * ROW;
        let mut nodes = declarations(self.counts);
        let mut line = |text: String| nodes.push(Node::Lines(vec![text]));
        line(".reg .b32 %t, %threads, %area, %mine;".into());
        line(".reg .b64 %in, %out, %own, %cells, %local, %generic;".into());
        line("ld.param.u64 %in, [inputs];".into());
        line("ld.param.u64 %out, [outputs];".into());
        line("mov.u32 %t, %tid.x;".into());
        line("mov.u32 %threads, %ntid.x;".into());
        line(format!("mad.wide.u32 %in, %t, {row}, %in;"));
        line(format!("mad.wide.u32 %cells, %threads, {}, %out;", 8 * words));
        line(format!("mad.wide.u32 %out, %t, {}, %out;", 8 * words));
        line(format!("add.u64 %own, %out, {};", 8 * (words - 1)));
        line(format!("ld.global.b32 %zero, [%in+{}];", 8 * ZERO));
        if text.contains("%area") || text.contains("%mine") {
            line(".shared .align 8 .b8 area[768];".into());
            line("mov.u32 %area, area;".into());
            line("mad.lo.u32 %mine, %t, 8, %area;".into());
        }
        if text.contains("%local") || text.contains("%generic") {
            line(".local .align 8 .b8 local[64];".into());
            line("mov.u64 %local, local;".into());
            line("cvta.local.u64 %generic, %local;".into());
            line("mov.b64 %x, {%t, %zero};".into());
            for at in 0..8 {
                line(format!("st.local.b64 [%local+{}], %x;", 8 * at));
            }
        }
        for class in CLASSES {
            for index in 0..self.count(class) {
                let letter = match class {
                    'L' => 'I',
                    'F' => 'g',
                    'D' => 'G',
                    _ => 'i',
                };
                let offset = self.input(letter);
                nodes.push(Node::line(format!(
                    "ld.global.{} {}{index}, [%in+{offset}];",
                    bits(class),
                    prefix(class)
                )));
            }
        }
        for index in 0..PREDICATES {
            let offset = self.input('i');
            let than = self.random.pick(&["0", "0", "32", "-100"]);
            nodes.push(Node::Lines(vec![
                format!("ld.global.b32 %a, [%in+{offset}];"),
                format!("setp.lt.s32 %p{index}, %a, {than};"),
            ]));
        }
        nodes
    }

    /// Stores all registers.
    pub(super) fn epilogue(&mut self, words: usize) -> Vec<Node> {
        let mut stores = Vec::new();
        let Counts { r, l, h, f, d } = self.counts;
        stores.extend((0..r / 2).map(|k| format!("v2.b32 [AT], {{%r{}, %r{}}};", 2 * k, 2 * k + 1)));
        stores.extend((0..l).map(|k| format!("b64 [AT], %l{k};")));
        stores.extend((0..h / 4).map(|_| "v4.b16 [AT], {%h0, %h1, %h2, %h3};".to_string()));
        stores.extend((0..f / 2).map(|k| format!("v2.f32 [AT], {{%f{}, %f{}}};", 2 * k, 2 * k + 1)));
        stores.extend((0..d).map(|k| format!("f64 [AT], %d{k};")));
        let mut nodes = vec![Node::line("DONE:")];
        for (at, store) in stores.iter().enumerate() {
            nodes.push(Node::line(format!("st.global.{}", store.replace("AT", &format!("%out+{}", 8 * at)))));
        }
        let mut flags = vec!["mov.u32 %a, 0;".to_string()];
        for index in 0..PREDICATES {
            flags.push(format!("@%p{index} or.b32 %a, %a, {};", 1 << index));
        }
        flags.push(format!("st.global.b32 [%out+{}], %a;", 8 * (words - 2)));
        nodes.push(Node::Lines(flags));
        nodes.push(Node::line("ret;"));
        nodes
    }
}
