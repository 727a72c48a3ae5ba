/** For tests of programs; not part of any program. */
export { startProgram, type NodeOptions, type RunningProgram } from './testing/start-program.ts'
export { readConfiguration, readPrinted } from './testing/read-configuration.ts'
