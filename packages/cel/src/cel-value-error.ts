import { EvaluationError } from '@marcbachmann/cel-js'

/** A CEL function that cannot return a value for its arguments. */
export class CelValueError extends EvaluationError {}
