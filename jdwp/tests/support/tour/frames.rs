//! Frames of the main thread: locals, early return, popping.

use jdwp::commands::stack_frame::{
    GetValues, PopFrames, SetValues, SlotRequest, SlotValue, ThisObject,
};
use jdwp::commands::thread_reference::{ForceEarlyReturn, FrameCount, Frames};
use jdwp::commands::virtual_machine::Resume;
use jdwp::{ErrorCode, FrameId, Tag, Value};

use super::Tour;

/// At the checkpoint "locals": its caller has a variable of every type.
pub(super) async fn locals(tour: &mut Tour<'_>) {
    let thread = tour.main;
    let frames = tour
        .ask(&Frames {
            thread,
            start_frame: 0,
            length: -1,
        })
        .await;
    assert_eq!(frames.len() as i32, tour.ask(&FrameCount { thread }).await);
    assert_eq!(frames.len(), 3, "checkpoint, locals, main");
    let frame = frames[1].frame;
    assert_eq!(
        frames[1].location.method,
        tour.method(tour.debuggee, "locals").await
    );

    // Longs and doubles take two slots.
    let slots = [
        (0, 'Z'),
        (1, 'B'),
        (2, 'C'),
        (3, 'S'),
        (4, 'I'),
        (5, 'J'),
        (7, 'F'),
        (8, 'D'),
        (10, 'L'),
        (11, 'L'),
        (12, '['),
    ];
    let values = tour.slots(frame, &slots).await;
    let expected = [
        Value::Boolean(true),
        Value::Byte(-2),
        Value::Char(u16::from(b'y')),
        Value::Short(-3),
        Value::Int(4),
        Value::Long(5),
        Value::Float(6.5),
        Value::Double(7.25),
    ];
    assert_eq!(values[..8], expected);
    assert_eq!(
        tour.string(values[8].object().expect("not null").id).await,
        "eight"
    );
    assert_eq!((values[9], values[10].tag()), (Value::NULL, Tag::ARRAY));

    let writes = vec![
        SlotValue {
            slot: 4,
            value: Value::Int(-40),
        },
        SlotValue {
            slot: 5,
            value: Value::Long(-50),
        },
        SlotValue {
            slot: 10,
            value: Value::NULL,
        },
    ];
    tour.ask(&SetValues {
        thread,
        frame,
        values: writes,
    })
    .await;
    let written = tour.slots(frame, &[(4, 'I'), (5, 'J'), (10, 'L')]).await;
    assert_eq!(written, [Value::Int(-40), Value::Long(-50), Value::NULL]);

    // `locals` is static; slot 99 is not there; a slot of another type is refused.
    assert!(tour.ask(&ThisObject { thread, frame }).await.is_null());
    let slot = |slot, tag| GetValues {
        thread,
        frame,
        slots: vec![SlotRequest { slot, tag }],
    };
    assert_eq!(
        tour.refused(&slot(99, Tag::INT)).await,
        ErrorCode::INVALID_SLOT
    );
    assert_eq!(
        tour.refused(&slot(10, Tag::INT)).await,
        ErrorCode::TYPE_MISMATCH
    );
    let stale = ThisObject {
        thread,
        frame: FrameId(u64::MAX - 1),
    };
    assert_eq!(tour.refused(&stale).await, ErrorCode::INVALID_FRAMEID);
}

/// At the checkpoint "early": leaves it, then makes its caller return 99 instead of 1.
pub(super) async fn early_return(tour: &mut Tour<'_>) {
    let thread = tour.main;
    let mismatch = ForceEarlyReturn {
        thread,
        value: Value::Int(1),
    };
    assert_eq!(
        tour.refused(&mismatch).await,
        ErrorCode::TYPE_MISMATCH,
        "checkpoint is void"
    );
    super::events::step_out(tour).await;
    let frame = tour.frame(0).await;
    assert_eq!(
        frame.location.method,
        tour.method(tour.debuggee, "earlyReturn").await
    );
    tour.ask(&ForceEarlyReturn {
        thread,
        value: Value::Int(99),
    })
    .await;
}

/// At the checkpoint "popped": undoes it and its caller, and comes here again.
pub(super) async fn pop(tour: &mut Tour<'_>) {
    assert_eq!(
        tour.static_field("early").await,
        Value::Int(99),
        "the early return"
    );
    assert_eq!(tour.static_field("popped").await, Value::Int(1));
    let thread = tour.main;
    let caller = tour.frame(1).await;
    assert_eq!(
        caller.location.method,
        tour.method(tour.debuggee, "popFrames").await
    );
    tour.ask(&PopFrames {
        thread,
        frame: caller.frame,
    })
    .await;
    assert_eq!(
        tour.ask(&FrameCount { thread }).await,
        1,
        "only main is left"
    );
    tour.ask(&Resume).await;
    tour.arrive("popped").await;
    assert_eq!(
        tour.static_field("popped").await,
        Value::Int(2),
        "it ran twice"
    );
}
