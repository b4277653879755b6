//! What the simulator knows as byte 8 of argument 0 is `g_data[2]` to whoever wrote the kernel.

use cuda_source::cures::condition;
use cuda_source::parameters::{Elements, Parameter, dynamic_shared, parameters, shared_elements};
use ptx_simulator::{Diagnostic, Endless, Region, Spot, What, number_and_offset};

/// A buffer, as the host calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Its name; none if it has none of its own, and is called as the kernel's parameter.
    pub name: Option<String>,
    /// The type of its elements, if the host knows it: `f32`.
    pub kind: Option<&'static str>,
    /// Bytes of an element, if the host knows them.
    pub element: Option<u32>,
}

/// The names of the memory that kernels work on.
#[derive(Debug, Default)]
pub struct Names {
    /// The source of the kernels.
    pub source: String,
    /// What the arguments of the next launch point to, one for each; nothing of a number.
    pub called: Vec<Option<Called>>,
}

impl Names {
    /// Gives `found` the names of the source; `kernel` was launched by the host with `arguments`, the value
    /// of each.
    pub fn name(&self, found: &mut Diagnostic, kernel: &str, arguments: &[u64]) {
        if let (What::Endless(endless), Some(line)) = (&mut found.what, found.line) {
            self.condition(endless, line);
        }
        let running = found.kernel.clone();
        if let Some(kind) = self.kind(found, kernel) {
            found.show_as(kind);
        }
        let Some(spot) = found.spot_mut() else { return };
        match spot.region.clone() {
            Region::Argument(place) => self.argument(spot, place, kernel, arguments),
            Region::Shared { .. } => {
                let Some(kernel) = running else { return };
                if let Some(name) = &spot.name {
                    let elements = shared_elements(&self.source, &kernel, name, spot.size.unwrap_or(0));
                    if let Some(Elements { bytes, inner }) = elements {
                        spot.element = Some(bytes);
                        spot.inner = inner;
                    }
                } else if let Some((name, bytes)) = dynamic_shared(&self.source, &kernel) {
                    spot.name = Some(name);
                    spot.element = Some(bytes);
                }
            }
            Region::Variable(_) | Region::Buffer => {}
        }
    }

    /// The condition of the loop in a line, and the variable in it that keeps its value.
    fn condition(&self, endless: &mut Endless, line: u32) {
        let Some(condition) = condition(&self.source, line) else { return };
        let of_variable = |[a, b]: [i64; 2]| {
            let [left, right] = condition.sides.as_ref()?;
            // A compiler may compare with the number next to the one in the source.
            let is_right = |value: i64| match right.parse::<i64>() {
                Ok(number) => value.abs_diff(number) <= 1,
                Err(_) => true,
            };
            let value = [(a, b), (b, a)].into_iter().find(|(_, right)| is_right(*right))?.0;
            Some((left.clone(), Some(value)))
        };
        endless.stays = match endless.compared {
            Some(compared) => of_variable(compared),
            None => condition.unchanged.map(|name| (name, None)),
        };
        let is_certain = endless.stays.is_some() || endless.compared.is_none();
        endless.condition = is_certain.then_some(condition.text);
    }

    /// The type of the elements that `found` is about, if they are an argument's and it is known.
    fn kind(&self, found: &mut Diagnostic, kernel: &str) -> Option<&'static str> {
        let Region::Argument(place) = found.spot_mut()?.region else { return None };
        let called = self.called.get(place).and_then(Option::as_ref).and_then(|called| called.kind);
        let parameter = || parameters(&self.source, kernel).into_iter().nth(place)?.kind;
        called.or_else(parameter)
    }

    fn argument(&self, spot: &mut Spot, place: usize, kernel: &str, arguments: &[u64]) {
        let called = self.called.get(place).cloned().flatten().unwrap_or_default();
        let parameter = parameters(&self.source, kernel).into_iter().nth(place);
        let bytes = parameter.as_ref().and_then(|parameter| parameter.bytes);
        if called.name.is_none() {
            // The parameter is a pointer, which may point into the middle of a buffer.
            let start = arguments.get(place).map_or(0, |address| number_and_offset(*address).1);
            spot.byte -= start as i64;
            spot.size = spot.size.map(|size| size.saturating_sub(start));
        }
        spot.element = bytes.or(called.element);
        let name = parameter.map(|Parameter { name, .. }| name);
        spot.name = called.name.or(name).filter(|name| !name.is_empty());
    }
}
