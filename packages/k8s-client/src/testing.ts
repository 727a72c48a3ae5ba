export {
  scriptedHandler,
  type ScriptedAnswer,
  type ScriptedHandler,
  type ScriptedStep,
} from './testing/scripted-handler.ts'
export {
  listWatchServer,
  type Fault,
  type ListWatchServer,
  type ListWatchServerOptions,
} from './testing/list-watch-server.ts'
export { inProtobuf } from './testing/in-protobuf.ts'
export { protobufSamples, type ProtobufSamples } from './testing/protobuf-samples.ts'
