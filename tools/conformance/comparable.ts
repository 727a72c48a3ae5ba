interface Status {
  readonly code: string
  readonly plugin?: string
  readonly reasons: readonly string[]
}

/** The parts of a scheduling answer that need a rule to be comparable. */
interface Answer {
  readonly ok?: boolean
  readonly filters?: Readonly<Record<string, Readonly<Record<string, Status>>>>
  readonly combined?: Readonly<Record<string, Status>>
  readonly scores?: Readonly<Record<string, unknown>>
  readonly error?: { readonly stage: string; readonly plugin?: string }
  readonly scoreError?: { readonly stage: string }
  readonly [part: string]: unknown
}

/** Ignores the text of a refused configuration and of a failed PreScore. */
export function comparableFit(answer: unknown): Answer {
  const { scoreError, ...rest } = answer as Answer
  const { error: _text, ...refusal } = rest
  const known = rest.ok === false ? refusal : rest
  if (scoreError === undefined) return known
  return { ...known, scoreError: scoreError.stage === 'PreScore' ? { stage: 'PreScore' } : scoreError }
}

/** Compares only the start of a parse problem, and no reasons of an Error. */
export function comparableTopology(answer: unknown): Answer {
  const withoutTexts = (key: string, value: unknown): unknown =>
    typeof value === 'string' ? value.replace(/parsing pod: .*/s, 'parsing pod: ') : withoutErrorReasons(key, value)
  return comparableFit(JSON.parse(JSON.stringify(answer, withoutTexts)))
}

/**
 * Compares only the code of an Error. When several plugins fail on several nodes, it is random which of them ends the
 * real scheduling attempt, so the plugin is not compared then.
 */
export function comparableVolumes(answer: unknown): Answer {
  const cut = JSON.parse(JSON.stringify(answer, withoutErrorReasons)) as Answer
  if (cut.error === undefined) return cut
  const statuses = Object.values(cut.filters ?? {}).flatMap((byPlugin) => Object.entries(byPlugin))
  const broken = new Set(statuses.flatMap(([plugin, { code }]) => (code === 'Error' ? plugin : [])))
  return broken.size > 1 ? { ...cut, error: { stage: cut.error.stage } } : cut
}

function withoutErrorReasons(_key: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'code' in value && value.code === 'Error') return { code: 'Error' }
  return value
}

/** Applies the rules of topology and volumes. */
export function comparableEverything(answer: unknown): Answer {
  return comparableTopology(comparableVolumes(answer))
}

/** Compares which nodes fit and their scores, but no texts. */
export function comparableDelegation(answer: unknown): Answer {
  const {
    combined = {},
    scores = {},
    message: _text,
    filters: _alone,
    preFilter: _skips,
    ...same
  } = comparableTopology(answer)
  const { DynamicResources: _none, ...ours } = scores
  const statuses = Object.entries(combined).map(([node, status]) => [node, unifyStatus(status)])
  return { ...same, scores: ours, combined: Object.fromEntries(statuses) }
}

/** Unifies the two refusals: the real DynamicResources plugin finds no device, Berth calls the resource delegated. */
function unifyStatus(status: Status): Status {
  const isDelegated = status.reasons.some((reason) => reason.includes(', which is delegated to DeviceClass '))
  const isAllocation = status.plugin === 'DynamicResources'
  return isDelegated || isAllocation ? { ...status, plugin: 'DynamicResources', reasons: [] } : status
}
