export { fakeClock, type FakeClock } from './testing/fake-clock.ts'
export { scriptedHandler, type ScriptedHandler, type ScriptedStep } from './testing/scripted-handler.ts'
