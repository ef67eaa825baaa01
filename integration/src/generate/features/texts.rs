//! Strings, boxes and builders, also odd ones.

use super::super::maker::Maker;

/// Strings and boxes made with `new`; lone surrogates, characters that are no character.
pub(super) fn odd_texts(make: &mut Maker) {
    let odd = *make.random.pick(&[
        "ab\\ud83d",
        "\\ude00\\ud83d",
        "a\\0b",
        "\\ud83d\\ude00",
        "\\uffff\\ufffd",
        "\\u0130\\u00df",
    ]);
    let text = match make.random.below(4) {
        0 => format!(
            "String s = \"{odd}\"; §s\nint r = 0; §r\nfor (int i = «+T.l(\"i\", »0«+)»; ⟦i < s.length()⟧; i++«+, T.w(\"i\", i)») {{\nchar c = s.charAt(i); §c\nif (⟦c >= '\\ud800'⟧ && ⟦c < '\\ue000'⟧) {{\nr++; §r\n}} else {{\nr += 100; §r\n}}\n}}\nboolean e = s.equals(\"ab\\ufffd\"); §e\nreturn r + s.hashCode() + (⟦e⟧ ? 1 : 0);\n"
        ),
        1 => format!(
            "char[] k = ⟪=new char[] {{'x', '\\udc00', (char) n}}⟫; §k\nString s = new String(k); §s\nString t = new String(\"{odd}\"); §t\nString u = t.concat(s); §u\nString v = new String(new StringBuilder(\"q\").append(u)); §v\nreturn v.length() * 31 + u.hashCode();\n"
        ),
        2 => format!(
            "StringBuilder b = new StringBuilder(); §b\nb.append(\"{odd}\").append(n).append('\\udfff').reverse();\nString s = b.toString(); §s\nchar c = b.charAt(1); §c\nb.setLength(2);\nString t = b.substring(1); §t\nreturn s.hashCode() + c + t.length();\n"
        ),
        _ => "Integer a = Integer.valueOf(n); §a\nLong b = Long.valueOf(1L << n); §b\nDouble d = Double.valueOf(\"1e\" + (n & 15)); §d\nCharacter c = Character.valueOf((char) n); §c\nObject o = ⟦(n & 1) == 0⟧ ? (Object) d : (Object) c; §o\nint r = a + b.intValue() + d.intValue() + c; §r\nr += o.hashCode(); §r\nreturn r;\n".into(),
    };
    make.family_method("odd", &text, 40);
}

/// A `switch` over strings, with two of one hash code. Javac makes two switches of it.
pub(super) fn switches_over_texts(make: &mut Maker) {
    let method = format!("words{}", make.methods.len());
    make.untold_edges.insert(format!("Main.{method}"));
    let text = "String[] all = ⟪=new String[] {\"Aa\", \"BB\", \"\\ud83d\", \"\", \"zz\"}⟫; §all\nString s = all[(n & 0x7fff) % 5]; §s\nint r = 0; §r\nswitch (s) {\ncase \"Aa\":\nr = 1; §r\nbreak;\ncase \"BB\":\nr = 2; §r\ncase \"\\ud83d\":\nr += 3; §r\nbreak;\ncase \"\":\nr = 4; §r\nbreak;\ndefault:\nr = 5; §r\n}\nreturn r;\n";
    make.family_method("words", text, 24);
}

/// Boxes and strings that code of the program makes with constructors.
pub(super) fn boxes_made(make: &mut Maker) {
    let text = "Integer a = new Integer(n); §a\nCharacter c = new Character('\\ud800'); §c\nDouble d = new Double(-0.0); §d\nint r = a + 1; §r\nr += c; §r\nObject[] o = ⟪=new Object[] {a, c, d}⟫; §o\nr += o[0].hashCode(); §r\nBoolean z = new Boolean(\"true\"); §z\nif (⟦z⟧) {\nr++; §r\n}\nreturn r;\n";
    make.family_method("boxes", text, 30);
}
