import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.logging.*;
import java.util.stream.*;
import java.util.zip.*;

/** A small service: HTTP, JSON, files, logging, properties, compression. */
public class Shopping {
    static final Logger LOG = Logger.getLogger("shop");
    static class Json {
        private final String s; private int i; Json(String s) { this.s = s; }
        static Object parse(String s) { Json j = new Json(s); Object o = j.value(); j.ws(); if (j.i != s.length()) throw new IllegalArgumentException("rest " + j.i); return o; }
        private void ws() { while (i < s.length() && " \n\t\r".indexOf(s.charAt(i)) >= 0) i++; }
        private Object value() { ws(); char c = s.charAt(i); return switch (c) { case '{' -> object(); case '[' -> array(); case '"' -> string(); case 't' -> word("true", true); case 'f' -> word("false", false); case 'n' -> word("null", null); default -> number(); }; }
        private Object word(String w, Object v) { if (!s.startsWith(w, i)) throw new IllegalArgumentException(w); i += w.length(); return v; }
        private Map<String, Object> object() { Map<String, Object> m = new LinkedHashMap<>(); i++; ws(); if (s.charAt(i) == '}') { i++; return m; } do { ws(); String k = string(); ws(); expect(':'); m.put(k, value()); ws(); } while (s.charAt(i++) == ','); return m; }
        private List<Object> array() { List<Object> l = new ArrayList<>(); i++; ws(); if (s.charAt(i) == ']') { i++; return l; } do { l.add(value()); ws(); } while (s.charAt(i++) == ','); return l; }
        private void expect(char c) { if (s.charAt(i++) != c) throw new IllegalArgumentException(c + " at " + i); }
        private String string() { expect('"'); StringBuilder b = new StringBuilder(); for (char c; (c = s.charAt(i++)) != '"'; ) { if (c == '\\') { c = s.charAt(i++); if (c == 'u') { c = (char) Integer.parseInt(s, i, i + 4, 16); i += 4; } else if (c == 'n') c = '\n'; } b.append(c); } return b.toString(); }
        private Number number() { int from = i; while (i < s.length() && "+-.eE0123456789".indexOf(s.charAt(i)) >= 0) i++; String n = s.substring(from, i); if (n.isEmpty()) throw new IllegalArgumentException("at " + i); return n.matches("-?\\d+") ? (Number) Long.valueOf(n) : (Number) Double.valueOf(n); }
        static String write(Object o) { return o instanceof Map<?, ?> m ? m.entrySet().stream().map(e -> write(e.getKey()) + ":" + write(e.getValue())).collect(Collectors.joining(",", "{", "}")) : o instanceof Collection<?> c ? c.stream().map(Json::write).collect(Collectors.joining(",", "[", "]")) : o instanceof String t ? '"' + t.replace("\"", "\\\"") + '"' : String.valueOf(o); }
    }
    interface Store { void put(String k, Map<String, Object> v); Optional<Map<String, Object>> get(String k); default Stream<String> keys() { return Stream.empty(); } }
    static class Memory implements Store { private final ConcurrentSkipListMap<String, Map<String, Object>> all = new ConcurrentSkipListMap<>(); public void put(String k, Map<String, Object> v) { all.merge(k, v, (a, b) -> { Map<String, Object> m = new TreeMap<>(a); m.putAll(b); return m; }); } public Optional<Map<String, Object>> get(String k) { return Optional.ofNullable(all.get(k)); } @Override public Stream<String> keys() { return all.keySet().stream(); } }
    static class Audited implements Store { private final Store to; final List<String> log = Collections.synchronizedList(new ArrayList<>()); Audited(Store to) { this.to = to; } private <T> T timed(String what, Supplier<T> s) { long t = System.nanoTime(); try { return s.get(); } finally { log.add(what + (System.nanoTime() >= t)); } } public void put(String k, Map<String, Object> v) { timed("put " + k + " ", () -> { to.put(k, v); return null; }); } public Optional<Map<String, Object>> get(String k) { return timed("get " + k + " ", () -> to.get(k)); } @Override public Stream<String> keys() { return to.keys(); } }
    static class Handler implements HttpHandler { final Store store; Handler(Store s) { store = s; }
        @Override public void handle(HttpExchange x) throws IOException {
            int status = 200; String body;
            try {
                String path = x.getRequestURI().getPath().substring("/items/".length());
                switch (x.getRequestMethod()) {
                    case "PUT" -> { @SuppressWarnings("unchecked") Map<String, Object> m = (Map<String, Object>) Json.parse(new String(x.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)); store.put(path, m); body = "{}"; status = 201; }
                    case "GET" -> body = path.isEmpty() ? Json.write(store.keys().toList()) : store.get(path).map(Json::write).orElseThrow(() -> new NoSuchElementException(path));
                    default -> { status = 405; body = "\"no\""; }
                }
            } catch (NoSuchElementException e) { status = 404; body = Json.write("none " + e.getMessage()); }
            catch (RuntimeException e) { LOG.log(java.util.logging.Level.WARNING, "bad", e); status = 400; body = Json.write(String.valueOf(e.getMessage())); }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8); x.sendResponseHeaders(status, bytes.length); try (OutputStream out = x.getResponseBody()) { out.write(bytes); } finally { x.close(); }
        } }
    public static void main(String[] args) throws Exception {
        StringWriter logged = new StringWriter(); LOG.setUseParentHandlers(false); LOG.addHandler(new java.util.logging.Handler() { @Override public void publish(LogRecord r) { logged.write(r.getLevel() + " " + r.getMessage() + " " + r.getThrown().getMessage() + "\n"); } @Override public void flush() {} @Override public void close() {} });
        Audited store = new Audited(new Memory()); HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0); server.createContext("/items/", new Handler(store)); ExecutorService pool = Executors.newFixedThreadPool(2); server.setExecutor(pool); server.start();
        HttpClient client = HttpClient.newHttpClient(); String base = "http://127.0.0.1:" + server.getAddress().getPort() + "/items/";
        BiFunction<String, String, HttpRequest> request = (path, body) -> { HttpRequest.Builder b = HttpRequest.newBuilder(URI.create(base + path)); return (body == null ? b.GET() : b.PUT(HttpRequest.BodyPublishers.ofString(body))).build(); };
        String[][] calls = {{"tea", "{\"price\": 2.5, \"tags\": [\"hot\", \"gr\\u00fcn\"], \"n\": 3}"}, {"tea", "{\"n\": 4, \"ok\": true, \"none\": null}"}, {"cup", "{}"}, {"bad", "{\"x\" 1}"}, {"tea", null}, {"", null}, {"pot", null}};
        for (String[] c : calls) { HttpResponse<String> r = client.send(request.apply(c[0], c[1]), HttpResponse.BodyHandlers.ofString()); System.out.println(r.statusCode() + " " + r.body()); }
        System.out.println(Stream.of("tea", "cup").map(k -> client.sendAsync(request.apply(k, null), HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body)).toList().stream().map(CompletableFuture::join).toList());
        server.stop(0); pool.shutdown(); System.out.print(logged); System.out.println(store.log.size() + " " + store.log.get(0));
        Path dir = Files.createTempDirectory("shop"); Path file = dir.resolve("a.txt"); Files.writeString(file, "one\ntwo\nthree\n"); try (Stream<String> lines = Files.lines(file)) { System.out.println(lines.mapToInt(String::length).summaryStatistics().getMax()); }
        try (BufferedWriter w = Files.newBufferedWriter(dir.resolve("b.txt"))) { for (int i = 0; i < 3; i++) { w.write("line " + i); w.newLine(); } } try (Stream<Path> walk = Files.walk(dir)) { System.out.println(walk.filter(Files::isRegularFile).map(p -> p.getFileName().toString()).sorted().toList()); }
        Properties p = new Properties(); p.load(new StringReader("a=1\nb.c = two\n# no\n")); p.setProperty("d", "x"); System.out.println(new TreeMap<>(p) + p.getProperty("z", "?"));
        ByteArrayOutputStream packed = new ByteArrayOutputStream(); try (GZIPOutputStream z = new GZIPOutputStream(packed)) { z.write("abc".repeat(50).getBytes()); } System.out.println(packed.size() < 60 ? new String(new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray())).readAllBytes()).length() : -1);
        CRC32 crc = new CRC32(); crc.update("check".getBytes()); System.out.println(Long.toHexString(crc.getValue()) + " " + UUID.nameUUIDFromBytes("x".getBytes()) + " " + Base64.getEncoder().encodeToString(new byte[] {1, 2, -3}) + " " + Arrays.toString(java.security.MessageDigest.getInstance("SHA-256").digest("q".getBytes())).hashCode());
        for (Path q : List.of(file, dir.resolve("b.txt"), dir)) Files.delete(q); Scanner in = new Scanner("3 4.5 word\nnext line"); System.out.println(in.nextInt() + in.nextDouble() + in.next() + in.nextLine() + in.nextLine());
    }
}
