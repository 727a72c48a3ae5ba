export { fakeClock, type FakeClock } from './testing/fake-clock.ts'
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
export { realClock } from './testing/real-clock.ts'
