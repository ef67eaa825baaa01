//! What tables and modules there are, in words.

use jhyde_proto::v1::{SqlColumn, SqlModule, SqlTable};

use crate::error::Error;
use crate::output::{Look, Output};

/// What tables there are.
pub(super) fn tell(tables: &[SqlTable], out: &mut Output) -> Result<(), Error> {
    for table in tables {
        if out.json {
            out.object(&crate::json::SqlTableJson(table))?;
            continue;
        }
        let arguments: Vec<_> = table.arguments.iter().map(|a| a.name.as_str()).collect();
        let head = match arguments.is_empty() {
            true => table.name.clone(),
            false => format!("{}({})", table.name, arguments.join(", ")),
        };
        out.line(out.paint.text(Look::Strong, head))?;
        out.line(format!(
            "  {} From level {} on.",
            table.description, table.level
        ))?;
        for argument in &table.arguments {
            out.line(format!("  ({}) {}", argument.name, argument.description))?;
        }
        for column in &table.columns {
            let kind = column.r#type.to_lowercase();
            out.line(format!("  {} {kind}: {}", column.name, column.description))?;
        }
        for access in table
            .served
            .iter()
            .filter(|access| !access.predicate.is_empty())
        {
            let text = format!("  {}: {}", access.predicate, access.by);
            out.line(out.paint.text(Look::Faint, text))?;
        }
    }
    Ok(())
}

/// What modules there are.
pub(super) fn tell_modules(modules: &[SqlModule], out: &mut Output) -> Result<(), Error> {
    for module in modules {
        if out.json {
            out.object(&crate::json::SqlModuleJson(module))?;
            continue;
        }
        let head = out
            .paint
            .text(Look::Strong, format!("INCLUDE MODULE {};", module.name));
        out.line(format!("{head}  {}", module.description))?;
        for defined in &module.definitions {
            let named = |all: &[SqlColumn]| {
                all.iter()
                    .map(|one| one.name.clone())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let head = format!("{}({})", defined.name, named(&defined.arguments));
            let head = out.paint.text(Look::Strong, head);
            out.line(format!("  {head}  {}", defined.description))?;
            for (around, all) in [(true, &defined.arguments), (false, &defined.columns)] {
                for one in all {
                    let name = if around {
                        format!("({})", one.name)
                    } else {
                        one.name.clone()
                    };
                    let of = one.r#type.to_lowercase();
                    let of = if of.is_empty() {
                        String::new()
                    } else {
                        format!(" {of}")
                    };
                    out.line(format!("    {name}{of}: {}", one.description))?;
                }
            }
        }
    }
    Ok(())
}
