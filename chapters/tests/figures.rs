//! Every number in a figure is that of its trace or its record, counted here in another way.

use workbook::figure::Sources;
use workbook::record::Record;
use workbook::sim::trace::{Did, Event, Trace};
use workbook::view::{Film, Look};

/// The committed traces and records.
fn sources<T>(read: impl Fn(&Sources) -> T) -> T {
    let root = workbook::root().unwrap();
    read(&Sources(root))
}

fn trace(name: &str) -> Trace {
    sources(|from| from.trace(name).unwrap())
}

fn record(name: &str) -> Record {
    sources(|from| from.record(name).unwrap())
}

fn film(name: &str) -> Film {
    let figure = chapters::figures().find(|figure| figure.name == name).unwrap();
    sources(|from| (figure.draw)(from).unwrap())
}

fn said(film: &Film, track: usize) -> Vec<&str> {
    film.tracks[track].frames.iter().map(|frame| frame.say.as_str()).collect()
}

#[test]
fn the_race_ends_with_28_and_36() {
    let film = film("race");
    let html = film.html();
    assert!(html.contains("sum 28, not 36") && html.contains("sum 36, by luck"), "{html}");
    assert!(html.contains("data-race: thread 6 writes"), "the message stands beside it");
    assert!(
        said(&film, 0).iter().any(|say| say.contains("reads 7 in element 6 before thread 6")),
        "{film:?}"
    );
}

#[test]
fn nobody_passes_the_barrier_before_all_eight_are_there() {
    let trace = trace("barrier");
    let mut waiting = 0;
    for event in &trace.events {
        match event.did {
            Did::Arrive { .. } => waiting |= event.lanes,
            Did::Open { exited, .. } => {
                assert_eq!((waiting, exited), (0xff, 0));
                waiting = 0;
            }
            Did::Read(_) | Did::Write(_) => assert_eq!(waiting & event.lanes, 0, "{event:?}"),
            _ => {}
        }
    }
}

/// 2^16 elements are 128 of the figure's blocks.
#[test]
fn divergent_branches_are_the_records() {
    let names = ["neighbored", "neighbored-less", "interleaved"];
    let traces = names.map(trace);
    let film = film("divergence");
    let last = said(&film, 0).pop().unwrap().to_string();
    let record = record("ch3_blocks.sim");
    for trace in &traces {
        let run = record
            .runs
            .iter()
            .chain(&record.sweep)
            .find(|run| (run.kernel.as_str(), run.n, run.block) == (trace.kernel.as_str(), 1 << 16, 512));
        let counted = run.unwrap().counters.as_ref().unwrap().divergent_branches / 128;
        assert!(last.contains(&format!("{} {counted}", trace.kernel)), "{counted}: {last}");
    }
}

/// A division makes one interval more, and every thread ends at a place that stays empty.
#[test]
fn every_place_of_the_queue_has_one_writer_and_one_reader() {
    let trace = trace("queue");
    let places = |event: &Event| match &event.did {
        Did::Atomic { touch, .. } if touch.buffer == 1 => touch.at.clone(),
        _ => Vec::new(),
    };
    let mut written: Vec<u64> = trace.events.iter().flat_map(places).collect();
    written.sort_unstable();
    let offered = 2 + written.len();
    assert_eq!(written, (2..offered as u64).collect::<Vec<_>>());
    let film = film("queue");
    let last = &film.tracks[0].frames.last().unwrap().looks;
    let has = |prefix: &str, class: &str| {
        let is =
            |(key, look): &(&String, &Look)| key.starts_with(prefix) && look.class.as_deref() == Some(class);
        last.iter().filter(is).count()
    };
    assert_eq!(has("d", "written"), offered, "2 intervals, and one more of each division");
    assert_eq!((has("p", "ended"), has("p", "waits")), (offered, 4));
    assert_eq!(last["taken"].words, Some(format!("taken: {}", offered + 4)));
    assert_eq!(last["offered"].words, Some(format!("offered: {offered}")));
}

/// By the source: in step k those lanes work whose number is a multiple of 2^k.
#[test]
fn lanes_work_where_the_condition_holds() {
    let film = film("lanes");
    let steps = said(&film, 0);
    let mut works = 0;
    for step in 1..=9 {
        let lanes = (0..32).filter(|lane| lane % (1 << step) == 0).count();
        let said = steps[2 * step];
        assert!(said.starts_with(&format!("Step {step}: {lanes} lane")), "{said}");
        assert!(said.contains(&format!("other {} are switched off", 32 - lanes)), "{said}");
        works += lanes;
    }
    let last = steps.last().unwrap();
    assert!(last.contains(&format!("320 lanes; {} worked", works + 1)), "{last}");
    let looks =
        |frame: usize, lane: u32| film.tracks[0].frames[frame].looks[&format!("1-{lane}")].class.clone();
    assert_eq!(looks(3, 2).as_deref(), Some("all"), "all lanes test");
    assert_eq!([4, 2].map(|lane| looks(4, lane).unwrap()), ["works", "idle"]);
}

#[test]
fn sectors_and_turns_are_those_of_the_addresses() {
    let sectors = film("sectors");
    for (say, sectors) in said(&sectors, 0).iter().zip([8, 16, 32, 32]) {
        assert!(say.contains(&format!(" {sectors} sectors move")), "{say}");
    }
    let together = said(&sectors, 1);
    assert!(together.iter().all(|say| say.contains(" 4 sectors move, 128 bytes, and 128")), "{together:?}");
    // What the page's answer says of extra turns, one less than turns.
    let film = film("banks");
    for (say, turns) in said(&film, 0).iter().zip([2, 4, 8, 8, 8, 4, 2]) {
        assert!(say.contains(&format!(": {turns} turns")), "{say}");
    }
    assert!(said(&film, 1).iter().all(|say| say.ends_with(": 1 turn.")), "{film:?}");
}

/// The kernel launches as often as the record says: three halvings of eight blocks.
#[test]
fn grids_and_dropped_launches_are_counted_in_the_trace() {
    let launches = |trace: &Trace| {
        let launches = trace.events.iter().filter_map(|event| match event.did {
            Did::Launch { refused, .. } => Some(refused.is_some()),
            _ => None,
        });
        let all: Vec<bool> = launches.collect();
        (all.len(), all.iter().filter(|refused| **refused).count())
    };
    assert_eq!(launches(&trace("nested-tail")), (8 * 3, 0));
    assert_eq!(launches(&trace("nested-forget")), (8 * 3, 0));
    assert_eq!(launches(&trace("nested-levels")), (6, 0));
    assert_eq!(launches(&trace("pending")).1, 2);
    let film = film("pending");
    let end = said(&film, 0).pop().unwrap().to_string();
    // 1 to 32 without the chunks 1-4 and 5-8, which are not finished.
    assert_eq!(end, "2 launches never happened. The host reads cudaSuccess, and 492 for 528.");
}

#[test]
fn one_load_and_eight_are_in_flight() {
    let film = film("flight");
    let record: serde_json::Value = record("ch5_shared.gpu").section("memory_spaces").unwrap().unwrap();
    let global = record.as_array().unwrap().iter().find(|space| space["space"] == "global").unwrap();
    let clocks = (global["clocks"].as_f64().unwrap() * 0.8).round();
    let begin = format!("After {clocks} clocks: reduceSequential has 1 in flight");
    assert!(said(&film, 0)[8].starts_with(&begin), "{begin}: {film:?}");
    assert!(said(&film, 0)[8].contains("reduceInFlight has 8 in flight"), "{film:?}");
}

/// The law allows what chapter 5.3 says, and more than is recorded.
#[test]
fn the_machine_says_what_the_law_allows() {
    let film = film("machine");
    assert_eq!(film.tracks.len(), 4);
    for (track, (kernel, most)) in
        [("dot", 4), ("reduceSequential", 68), ("reduceFirstAdd", 100), ("reduceInFlight", 100)]
            .into_iter()
            .enumerate()
    {
        assert_eq!(film.tracks[track].label, kernel);
        let say = said(&film, track)[0].to_string();
        let numbers: Vec<u32> = say
            .split(' ')
            .filter_map(|word| word.strip_suffix('%'))
            .map(|word| word.parse().unwrap())
            .collect();
        assert!(numbers[0] == most && numbers[1] <= most, "{kernel}: {say}");
    }
}

/// Three shuffles add up eight registers, and each needs half the lanes of the one before.
#[test]
fn shuffles_end_with_the_sum_in_lane_0() {
    let film = film("shuffle");
    let said = said(&film, 0);
    assert_eq!(said.len(), 4);
    let sum: u32 = (1..=8).sum();
    assert!(said[3].ends_with(&format!("holds the sum, {sum}.")), "{said:?}");
    let html = film.html();
    for held in [1 + 5, 2 + 6, 1 + 5 + 3 + 7, sum] {
        assert!(html.contains(&format!(">{held}</text>")), "{held}: {html}");
    }
}

/// What may go wrong without a fence, and can't with one on each side.
#[test]
fn a_ticket_may_be_seen_before_the_result_only_without_fences() {
    let film = film("fence");
    let [without, with] = [0, 1].map(|track| said(&film, track));
    assert!(without.iter().any(|say| say.ends_with("still 0. The sum is 26.")), "{without:?}");
    assert!(with.last().unwrap().ends_with("it reads 10. The sum is 36."), "{with:?}");
    assert!(with.iter().all(|say| !say.contains("still 0")), "{with:?}");
}

/// Without scripts and on paper a figure is one SVG with its words; no markup ends the block that it stands
/// in.
#[test]
fn a_figure_stands_in_a_page_without_blank_lines() {
    for figure in chapters::figures() {
        let html = film(figure.name).html();
        assert!(!html.contains("\n\n"), "{html}");
        assert!(html.contains("aria-label=\"") && html.contains("<figcaption>"));
        let (_, script) = html.split_once("<script type=\"application/json\">").unwrap();
        let json = script.split_once("</script>").unwrap().0;
        serde_json::from_str::<serde_json::Value>(json).unwrap();
    }
}

/// What is said below the drawing of a run is said of that run.
#[test]
fn on_paper_each_run_has_its_own_words() {
    let film = film("grids");
    let html = film.html();
    let (first, others) = html.split_once("<div class=\"film-others\">").unwrap();
    assert_eq!((first.matches("<svg").count(), first.matches("film-say").count()), (1, 1), "{first}");
    let (others, _) = others.split_once("</div>").unwrap();
    let runs: Vec<&str> = others.split("</svg>").skip(1).collect();
    assert_eq!(runs.len(), 2, "{others}");
    for (track, below) in runs.iter().enumerate() {
        let last = said(&film, track + 1).pop().unwrap().replace('\'', "&#39;");
        assert!(below.trim_start().starts_with(&format!("<p>{last}</p>")), "{last}: {below}");
    }
}
