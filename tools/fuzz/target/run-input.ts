import type { FuzzTarget } from './fuzz-target.ts'
import { pollutedNames, removePollution } from './pollution.ts'

/** Whether the target accepted the input. */
export type Outcome = 'valid' | 'refused'

/** An input that breaks the contract of its target. */
export class ContractBreach extends Error {
  /** The same for inputs that fail alike: the reason and the place. */
  readonly signature: string

  constructor(reason: string, cause?: unknown) {
    super(cause instanceof Error ? `${reason}: ${cause.name}: ${cause.message}` : reason, { cause })
    this.name = 'ContractBreach'
    this.signature = cause instanceof Error ? `${reason} ${cause.name} ${placeOf(cause)}` : reason
  }
}

/**
 * Runs one input and judges the result.
 *
 * @throws ContractBreach if an error is not a typed refusal, the value breaks the contract, the input was changed, or a
 *   built-in prototype has a new property
 */
export async function runInput(target: FuzzTarget, input: Uint8Array): Promise<Outcome> {
  const given = Uint8Array.from(input)
  const outcome = await outcomeOf(target, given)
  const polluted = pollutedNames()
  if (polluted.length > 0) {
    removePollution()
    throw new ContractBreach(`a built-in prototype was polluted with ${polluted.join(', ')}`)
  }
  if (Buffer.compare(given, input) !== 0) throw new ContractBreach('the input was changed')
  return outcome
}

async function outcomeOf(target: FuzzTarget, input: Uint8Array): Promise<Outcome> {
  let value: unknown
  try {
    value = await target.parse(input)
  } catch (error) {
    if (!target.refusals.some((refusal) => error instanceof refusal)) throw new ContractBreach('untyped error', error)
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code !== 'string' || code === '') throw new ContractBreach('an error without a code', error)
    return 'refused'
  }
  try {
    await target.verify(value)
  } catch (error) {
    throw new ContractBreach('the value breaks the contract', error)
  }
  return 'valid'
}

/** Returns the file and line that threw, or the message if the stack has overflowed. */
function placeOf(error: Error): string {
  if (error instanceof RangeError) return error.message
  return /\(?([^\s(]+:\d+):\d+\)?/.exec(error.stack?.replace(error.message, '') ?? '')?.[1] ?? error.message
}
