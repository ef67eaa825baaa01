package jdi;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The JVM under observation, suspended at its start: either one that waits at a port, or one that
 * is launched here, with this process's standard streams. A launched one connects back to us
 * (server=n), so that it prints nothing of its own and no port has to be guessed.
 */
record Debuggee(VirtualMachine vm, Process process) {

    static Debuggee open(Options options) throws Exception {
        return options.attachHost != null ? attach(options.attachHost, options.attachPort) : launch(options.command);
    }

    private static Debuggee attach(String host, int port) throws Exception {
        AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(c -> c.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
        Map<String, Connector.Argument> a = connector.defaultArguments();
        a.get("hostname").setValue(host);
        a.get("port").setValue(Integer.toString(port));
        return new Debuggee(connector.attach(a), null);
    }

    private static Debuggee launch(List<String> command) throws Exception {
        ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
            .filter(c -> c.name().equals("com.sun.jdi.SocketListen")).findFirst().orElseThrow();
        Map<String, Connector.Argument> a = connector.defaultArguments();
        a.get("localAddress").setValue("127.0.0.1");
        a.get("timeout").setValue("60000");
        String address = connector.startListening(a);
        String port = address.substring(address.lastIndexOf(':') + 1);
        List<String> withAgent = new ArrayList<>(command);
        withAgent.add(1, "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:" + port);
        Process process = new ProcessBuilder(withAgent).inheritIO().start();
        try {
            return new Debuggee(connector.accept(a), process);
        } catch (Exception e) {
            process.destroy();
            throw new IllegalStateException("the program did not connect (exit code " + process.waitFor() + "): " + e.getMessage(), e);
        } finally {
            connector.stopListening(a);
        }
    }

    /** The exit code of a launched program; 0 for one that was attached to. */
    int waitFor() throws InterruptedException {
        return process == null ? 0 : process.waitFor();
    }
}
