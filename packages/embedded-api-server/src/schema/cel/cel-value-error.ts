import { EvaluationError } from '@marcbachmann/cel-js'

/** A function has no value for its arguments. */
export class CelValueError extends EvaluationError {}
