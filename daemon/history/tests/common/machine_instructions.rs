//! What each instruction does (JVMS 6.5), one at a time.

use super::*;

impl Machine<'_> {
    #[expect(clippy::too_many_lines, reason = "one arm per kind of instruction")]
    pub(super) fn step(&mut self, frame: &mut Frame, code: &Code, at: u32) -> Result<Next, Thrown> {
        let instruction = code.at(at).expect("an instruction").clone();
        let (call, next) = (frame.call, instruction.next());
        let number = instruction.opcode as u8;
        if let Some(load) = instruction.local_load() {
            let (variable, _) = self.local(frame, load.slot, at, at);
            self.event(call, at, EventKind::Use { variable });
            if number != 0x84 {
                frame.stack.push(frame.locals[usize::from(load.slot)]);
                return Ok(Next::At(next));
            }
        }
        if let Some(store) = instruction.local_store() {
            let slot = match &instruction.operands {
                Operands::Increment { slot, by } => {
                    Slot::Int(frame.locals[usize::from(*slot)].int() + i32::from(*by))
                }
                _ => frame.stack.pop().expect("a value"),
            };
            frame.locals[usize::from(store.slot)] = slot;
            let (variable, descriptor) = self.local(frame, store.slot, at, next);
            let value = slot.value(&descriptor);
            self.event(call, at, EventKind::Write { variable, value });
            return Ok(Next::At(next));
        }
        let class = Rc::clone(&self.classes[self.known[frame.method].class]);
        match (number, &instruction.operands) {
            (0x00 | 0xc0, _) => {}
            (0x01, _) => frame.stack.push(Slot::Reference(None)),
            (0x02..=0x08, _) => frame.stack.push(Slot::Int(i32::from(number) - 3)),
            (0x10 | 0x11, Operands::Immediate(value)) => frame.stack.push(Slot::Int(*value)),
            (0x12 | 0x13, _) => frame.stack.push(Slot::Reference(None)),
            // Array loads: int, reference, byte, char, short.
            (0x2e | 0x32..=0x35, _) => {
                let (array, index) = self.element(frame)?;
                let variable = Variable::Element {
                    array,
                    index: index as u32,
                };
                self.event(call, at, EventKind::Use { variable });
                let Content2::Array(elements) = &self.heap[&array].1 else {
                    panic!("no array")
                };
                frame.stack.push(elements[index]);
            }
            (0x4f | 0x53..=0x56, _) => {
                let slot = frame.stack.pop().expect("a value");
                let (array, index) = self.element(frame)?;
                let (name, Content2::Array(elements)) =
                    self.heap.get_mut(&array).expect("is there")
                else {
                    panic!("no array")
                };
                elements[index] = slot;
                let value = slot.value(&name[1..]);
                let variable = Variable::Element {
                    array,
                    index: index as u32,
                };
                self.event(call, at, EventKind::Write { variable, value });
            }
            (0x57, _) => drop(frame.stack.pop()),
            (0x59, _) => frame.stack.push(*frame.stack.last().expect("a value")),
            (0x5a, _) => dup_under(&mut frame.stack, 1, 1),
            (0x5b, _) => dup_under(&mut frame.stack, 1, 2),
            (0x5c, _) => dup_under(&mut frame.stack, 2, 0),
            (0x5d, _) => dup_under(&mut frame.stack, 2, 1),
            (0x60 | 0x64 | 0x68 | 0x6c | 0x70 | 0x78 | 0x7a | 0x7e | 0x80 | 0x82, _) => {
                let b = frame.stack.pop().expect("a value").int();
                let a = frame.stack.pop().expect("a value").int();
                if b == 0 && matches!(number, 0x6c | 0x70) {
                    return self.exception("java/lang/ArithmeticException");
                }
                frame.stack.push(Slot::Int(match number {
                    0x60 => a.wrapping_add(b),
                    0x64 => a.wrapping_sub(b),
                    0x68 => a.wrapping_mul(b),
                    0x6c => a.wrapping_div(b),
                    0x70 => a.wrapping_rem(b),
                    0x78 => a.wrapping_shl(b as u32),
                    0x7a => a.wrapping_shr(b as u32),
                    0x7e => a & b,
                    0x80 => a | b,
                    _ => a ^ b,
                }));
            }
            (0x74, _) => {
                let a = frame.stack.pop().expect("a value").int();
                frame.stack.push(Slot::Int(a.wrapping_neg()));
            }
            (0x99..=0xa6 | 0xc6 | 0xc7, Operands::Jump(target)) => {
                let taken = condition(number, &mut frame.stack);
                let to = if taken { *target } else { next };
                self.event(call, at, EventKind::Edge { from: at, to });
                return Ok(Next::At(to));
            }
            (0xa7, Operands::Jump(target)) => {
                // The back edges of loops that `javac` makes by a goto are those that go back.
                if *target <= at {
                    let to = *target;
                    self.event(call, at, EventKind::Edge { from: at, to });
                }
                return Ok(Next::At(*target));
            }
            (0xaa, Operands::TableSwitch(table)) => {
                let value = frame.stack.pop().expect("a value").int();
                let found = table.cases().find(|(case, _)| *case == value);
                let to = found.map_or(table.default, |(_, target)| target);
                self.event(call, at, EventKind::Edge { from: at, to });
                return Ok(Next::At(to));
            }
            (0xab, Operands::LookupSwitch(table)) => {
                let value = frame.stack.pop().expect("a value").int();
                let found = table.pairs.iter().find(|(case, _)| *case == value);
                let to = found.map_or(table.default, |(_, target)| *target);
                self.event(call, at, EventKind::Edge { from: at, to });
                return Ok(Next::At(to));
            }
            (0xac | 0xb0, _) => return Ok(Next::Return(frame.stack.pop())),
            (0xb1, _) => return Ok(Next::Return(None)),
            (0xb2..=0xb5, Operands::Constant(constant)) => {
                let field = class.constants.field(*constant).expect("a field");
                let key = (field.class.to_owned(), field.name.to_owned());
                let known = self.fields.get(&key).cloned();
                return self
                    .field(frame, number, at, known)
                    .map(|()| Next::At(next));
            }
            (0xb6..=0xb9, operands) => {
                let constant = match operands {
                    Operands::Constant(constant) => *constant,
                    Operands::InvokeInterface { constant, .. } => *constant,
                    _ => panic!("an invoke without a method"),
                };
                let target = class.constants.method(constant).expect("a method");
                let key = (
                    target.class.to_owned(),
                    target.name.to_owned(),
                    target.descriptor.to_owned(),
                );
                let method = match self.methods.get(&key) {
                    Some(known) => *known,
                    None => self.outside(&key.0, &key.1, &key.2),
                };
                let mut count = types(&key.2).0.len();
                if self.known[method].code.is_some() {
                    count += usize::from(!self.known[method].is_static);
                } else if number != 0xb8 {
                    // The receiver of a call out of the scope is of no interest here.
                    let under = frame.stack.len() - count - 1;
                    frame.stack.remove(under);
                }
                let arguments = frame.stack.split_off(frame.stack.len() - count);
                let result = self.run(method, &arguments, at)?;
                frame.stack.extend(result);
            }
            (0xbb, Operands::Constant(constant)) => {
                let name = class
                    .constants
                    .class(*constant)
                    .expect("a class")
                    .to_owned();
                let object = self.create(&name, Content2::Object(HashMap::new()), Some((call, at)));
                frame.stack.push(Slot::Reference(Some(object)));
            }
            (0xbc | 0xbd, operands) => {
                let length = frame.stack.pop().expect("a length").int();
                if length < 0 {
                    return self.exception("java/lang/NegativeArraySizeException");
                }
                let name = match operands {
                    Operands::NewArray(kind) => match kind.name() {
                        "boolean" => "[Z".to_owned(),
                        "char" => "[C".to_owned(),
                        "byte" => "[B".to_owned(),
                        "short" => "[S".to_owned(),
                        _ => "[I".to_owned(),
                    },
                    Operands::Constant(constant) => {
                        match class.constants.class(*constant).expect("a class") {
                            array if array.starts_with('[') => format!("[{array}"),
                            element => format!("[L{element};"),
                        }
                    }
                    _ => panic!("an array of what?"),
                };
                let elements = vec![Slot::zero(&name[1..]); length as usize];
                let array = self.create(&name, Content2::Array(elements), Some((call, at)));
                frame.stack.push(Slot::Reference(Some(array)));
            }
            (0xbe, _) => {
                let Some(array) = frame.stack.pop().expect("an array").object() else {
                    return self.exception("java/lang/NullPointerException");
                };
                let Content2::Array(elements) = &self.heap[&array].1 else {
                    panic!("no array")
                };
                frame.stack.push(Slot::Int(elements.len() as i32));
            }
            (0xbf, _) => match frame.stack.pop().expect("an exception").object() {
                Some(object) => return Err(Thrown(object)),
                None => return self.exception("java/lang/NullPointerException"),
            },
            _ => panic!("{} at {at} is not known here", instruction.mnemonic()),
        }
        Ok(Next::At(next))
    }

    fn field(
        &mut self,
        frame: &mut Frame,
        number: u8,
        at: u32,
        known: Option<(FieldId, String)>,
    ) -> Result<(), Thrown> {
        let call = frame.call;
        let Some((field, descriptor)) = known else {
            // A field outside, such as `System.out`.
            match number {
                0xb2 => frame.stack.push(Slot::Reference(None)),
                _ => panic!("a field outside of the classes"),
            }
            return Ok(());
        };
        let written = (number == 0xb3 || number == 0xb5).then(|| frame.stack.pop());
        let written = written.flatten();
        let owner = match number {
            0xb4 | 0xb5 => match frame.stack.pop().expect("an object").object() {
                Some(object) => Some(object),
                None => return self.exception("java/lang/NullPointerException"),
            },
            _ => None,
        };
        let variable = match owner {
            Some(object) => Variable::Field { object, field },
            None => Variable::Static { field },
        };
        let place = match owner {
            None => self.statics.get_mut(&field).expect("a static"),
            Some(object) => match &mut self.heap.get_mut(&object).expect("is there").1 {
                Content2::Object(fields) => fields
                    .entry(field)
                    .or_insert_with(|| Slot::zero(&descriptor)),
                Content2::Array(_) => panic!("an array has no fields"),
            },
        };
        match written {
            Some(slot) => {
                *place = slot;
                let value = slot.value(&descriptor);
                self.event(call, at, EventKind::Write { variable, value });
            }
            None => {
                frame.stack.push(*place);
                self.event(call, at, EventKind::Use { variable });
            }
        }
        Ok(())
    }
}

fn condition(number: u8, stack: &mut Vec<Slot>) -> bool {
    let b = stack.pop().expect("a value");
    match number {
        0x99..=0x9e => compare(number - 0x99, b.int(), 0),
        0x9f..=0xa4 => {
            let a = stack.pop().expect("a value").int();
            compare(number - 0x9f, a, b.int())
        }
        0xa5 | 0xa6 => {
            let a = stack.pop().expect("a value").object();
            (a == b.object()) == (number == 0xa5)
        }
        _ => b.object().is_none() == (number == 0xc6),
    }
}

/// eq, ne, lt, ge, gt, le.
fn compare(kind: u8, a: i32, b: i32) -> bool {
    match kind {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a >= b,
        4 => a > b,
        _ => a <= b,
    }
}

/// The upper `count` slots once more, under the `under` slots below them.
fn dup_under(stack: &mut Vec<Slot>, count: usize, under: usize) {
    let copied = stack[stack.len() - count..].to_vec();
    let at = stack.len() - count - under;
    for (position, slot) in copied.into_iter().enumerate() {
        stack.insert(at + position, slot);
    }
}
