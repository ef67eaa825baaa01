package jdi;

import java.util.Map;

/** Builds one JSON object, in the order of the puts. Just what the peers print, no more. */
final class Json {

    private final StringBuilder out = new StringBuilder("{");

    Json put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    Json put(String name, double value) {
        return raw(name, String.format(java.util.Locale.ROOT, "%.3f", value));
    }

    Json put(String name, String value) {
        return raw(name, quote(value));
    }

    Json put(String name, Map<String, Long> values) {
        StringBuilder b = new StringBuilder("{");
        values.forEach((k, v) -> b.append(b.length() > 1 ? "," : "").append(quote(k)).append(':').append(v));
        return raw(name, b.append('}').toString());
    }

    private Json raw(String name, String value) {
        if (out.length() > 1) {
            out.append(',');
        }
        out.append(quote(name)).append(':').append(value);
        return this;
    }

    static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return b.append('"').toString();
    }

    @Override
    public String toString() {
        return out + "}";
    }
}
