// Calls the service as a program in another language does: stubs come from the .proto files alone.
//
// node client.js ADDRESS INCLUDE... < document.json
//
// Lists the strategies, merges the document as a whole and part by part, asks for a strategy that is not there, and
// prints what came back as JSON. Enumerations and defaults are as in protobuf's JSON format.

import { readFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [address, ...includeDirs] = process.argv.slice(2);
const document = JSON.parse(readFileSync(0, "utf-8"));
const deadline = () => Date.now() + 20_000;

const definition = loader.loadSync("protos/merge_baseline/v1/chain_merge_service.proto", {
  includeDirs,
  longs: String,
  enums: String,
  oneofs: true,
});
const { ChainMergeService } = grpc.loadPackageDefinition(definition).merge_baseline.v1;
const client = new ChainMergeService(address, grpc.credentials.createInsecure());

function call(method, request, metadata = new grpc.Metadata()) {
  return new Promise((resolve, reject) => {
    const running = client[method](request, metadata, { deadline: deadline() }, (error, response) => {
      if (error) reject(error);
      else result.response = response;
    });
    const result = {};
    running.on("status", (status) => resolve({ ...result, trailers: status.metadata.getMap() }));
  });
}

async function stream(messages) {
  const running = client.MergeStream(new grpc.Metadata(), { deadline: deadline() });
  for (const message of messages) running.write(message);
  running.end();
  const answers = [];
  for await (const answer of running) answers.push(answer);
  return answers;
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    const details = error.metadata.get("grpc-status-details-bin");
    return { code: grpc.status[error.code], details: error.details, more: details.length };
  }
  return null;
}

const metadata = new grpc.Metadata();
metadata.set("x-request-id", "node-1");
const strategy = { name: "greedy", options: [{ name: "match", value: { text: "noun" } }] };
const merged = await call("MergeDocument", { document, strategy }, metadata);
const listed = await call("ListStrategies", {});
const streamed = await stream([
  { setup: { documentId: document.id, strategy } },
  ...document.parts.map((part) => ({ part })),
]);
const refused = await failure(call("MergeDocument", { document, strategy: { name: "no-such-strategy" } }));
process.stdout.write(
  JSON.stringify({
    strategies: listed.response.strategies.map((each) => each.name),
    merged: merged.response,
    requestId: merged.trailers["x-request-id"] ?? null,
    streamed,
    refused,
  }),
);
client.close();
