export { eventually, type EventuallyOptions } from './eventually.ts'
export {
  killByMemory,
  type LoggedProgram,
  mountSmallFileSystem,
  type SmallFileSystem,
  startLoggedProgram,
  withoutFileDescriptors,
} from './exhaust-resources.ts'
export { handshake, tlsSide, type TlsSide } from './handshake.ts'
export { helmBinary } from './helm-binary.ts'
export { kubectlBinary } from './kubectl-binary.ts'
export { notesCommands } from './notes-commands.ts'
export { pluginDirectory, type PluginDirectory } from './plugin-directory.ts'
export { lastWords, ProcessGroup, type OwnedProcess, type ProgramStart } from './process-group.ts'
export { UnmetExpectationError } from './unmet-expectation-error.ts'
export { podGroupDefinition } from './pod-group-definition.ts'
export {
  createMatrixObject,
  explainMatrix,
  matrixTarget,
  type MatrixCase,
  type MatrixObject,
  schedulerSentence,
} from './explain-matrix/explain-matrix.ts'
export { extendedResourceDefinition } from './extended-resources/extended-resource-definition.ts'
export { specSamples, type SpecSample } from './extended-resources/spec-samples.ts'
