//! The figures as curves: four charts over the number of events, in one SVG.

use plotters::prelude::*;

use crate::measure::Figures;

type Pane<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// One curve: its colour, how thick it is, its points.
struct Curve {
    colour: RGBColor,
    width: u32,
    points: Vec<(f64, f64)>,
}

/// The picture.
pub(crate) fn svg(all: &[Figures]) -> String {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (1000, 760)).into_drawing_area();
        root.fill(&WHITE).expect("drawn");
        let panes = root.split_evenly((2, 2));
        let curve = |colour: RGBColor, width: u32, value: &dyn Fn(&Figures) -> f64| Curve {
            colour,
            width,
            points: all.iter().map(|f| (f.events as f64, value(f))).collect(),
        };
        let aim = |at: f64| curve(RGBColor(190, 190, 190), 2, &move |_| at);
        let ingest = [
            aim(5.0),
            curve(RED, 2, &|f| f.ingest),
            curve(BLUE, 2, &Figures::able),
        ];
        draw(
            &panes[0],
            "ingest, M events/s: measured (red), threads able (blue), aim (grey)",
            &ingest,
        );
        let bytes = [aim(4.0), curve(RED, 2, &|f| f.bytes_per_event)];
        draw(&panes[1], "bytes per event (red), aim (grey)", &bytes);
        let memory = [
            curve(RED, 2, &|f| f.peak_ingest),
            curve(BLUE, 2, &|f| f.peak),
        ];
        draw(
            &panes[2],
            "peak RSS, MB: after ingest (red), after all questions (blue)",
            &memory,
        );
        let kinds = all.first().map_or(0, |figures| figures.questions.len());
        let mut queries = vec![aim(20.0)];
        for at in 0..kinds {
            let (p99, busy) = (RGBColor(250, 170, 170), RGBColor(120, 150, 250));
            queries.push(curve(p99, 1, &move |f| f.questions[at].p99));
            queries.push(curve(busy, 1, &move |f| f.questions[at].processor_p99));
        }
        let title = "99th percentile of each query, ms: wall (red), processor (blue), aim (grey)";
        draw(&panes[3], title, &queries);
        root.present().expect("drawn");
    }
    text
}

fn draw(pane: &Pane<'_>, title: &str, curves: &[Curve]) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (low, high) = points().fold((f64::MAX, 1.0f64), |(low, high), point| {
        (low.min(point.0), high.max(point.0))
    });
    let top = points().fold(1.0f64, |top, point| top.max(point.1)) * 1.1;
    let mut chart = ChartBuilder::on(pane)
        .caption(title, ("sans-serif", 14))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(48)
        .build_cartesian_2d((low..high.max(low * 10.0)).log_scale(), 0.0..top)
        .expect("a chart");
    chart
        .configure_mesh()
        .x_desc("events")
        .x_label_formatter(&|events| format!("10^{:.0}", events.log10()))
        .light_line_style(RGBColor(240, 240, 240))
        .draw()
        .expect("a grid");
    for curve in curves {
        let style = curve.colour.stroke_width(curve.width);
        chart
            .draw_series(LineSeries::new(curve.points.iter().copied(), style))
            .expect("a curve");
    }
}
