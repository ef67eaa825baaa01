// The services of jhyde.v1 over gRPC-web. Only unary calls, and streams that end soon: a browser gives a host six connections, so
// that a stream per tab would stop the seventh tab.

import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Debugging } from "../gen/jhyde/v1/debugging_pb.ts";
import { History } from "../gen/jhyde/v1/history_pb.ts";
import { Recordings } from "../gen/jhyde/v1/recordings_pb.ts";
import { Web } from "../gen/jhyde/v1/web_pb.ts";
import { key } from "./key.ts";

const withKey: Interceptor = (next) => (request) => {
  const value = key();
  if (value) request.header.set("x-jhyde-key", value);
  return next(request);
};

const transport = createGrpcWebTransport({ baseUrl: location.origin, interceptors: [withKey] });

export const recordings = createClient(Recordings, transport);
export const history = createClient(History, transport);
export const debugging = createClient(Debugging, transport);
export const web = createClient(Web, transport);
