import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { isThenable } from '../checks/describe-value.ts'
import { invalidResult } from '../checks/invalid-result.ts'
import { isRejection } from '../checks/is-rejection.ts'

const EFFECT_RESULT = 'undefined or { kind: "reject", code, reasons }'

/** Returns the effect hooks with checks of their results. */
export function guardEffectHooks(hooks: SchedulingHooks): SchedulingHooks {
  const postFilter = hooks.postFilter?.bind(hooks)
  const reserve = hooks.reserve?.bind(hooks)
  const permit = hooks.permit?.bind(hooks)
  const preBind = hooks.preBind?.bind(hooks)
  const bind = hooks.bind?.bind(hooks)
  return {
    ...(postFilter !== undefined && {
      postFilter: (pod, rejected, context) =>
        checked(postFilter(pod, rejected, context), isPostFilterResult, {
          what: 'postFilter returned',
          expected: 'undefined or { kind: "nominate", nodeName }',
        }),
    }),
    ...(reserve !== undefined && {
      reserve: (pod, nodeName, context) => checkedEffect('reserve', nodeName, reserve(pod, nodeName, context)),
    }),
    ...(permit !== undefined && {
      permit: (pod, nodeName, context) =>
        checked(permit(pod, nodeName, context), isPermitResult, {
          what: 'permit returned',
          where: ` for node ${nodeName}`,
          expected: 'undefined, { kind: "wait", timeoutMs } or { kind: "reject", code, reasons }',
        }),
    }),
    ...(preBind !== undefined && {
      preBind: (pod, nodeName, context) => checkedEffect('preBind', nodeName, preBind(pod, nodeName, context)),
    }),
    ...(bind !== undefined && {
      bind: (pod, nodeName, context) =>
        checked(bind(pod, nodeName, context), isBindResult, {
          what: 'bind returned',
          where: ` for node ${nodeName}`,
          expected: '{ kind: "bound" }, { kind: "skip" } or { kind: "reject", code, reasons }',
        }),
    }),
  }
}

function checkedEffect<T>(hook: string, nodeName: string, result: T): T {
  const message = { what: `${hook} returned`, where: ` for node ${nodeName}`, expected: EFFECT_RESULT }
  return checked(result, isEffectResult, message)
}

/** Checks a result, or the value of its promise. */
function checked<T>(
  result: T,
  isValid: (value: unknown) => boolean,
  message: { readonly what: string; readonly where?: string; readonly expected: string },
): T {
  const check = (value: unknown): unknown => {
    if (isValid(value)) return value
    throw invalidResult({ ...message, value })
  }
  return (isThenable(result) ? Promise.resolve(result).then(check) : check(result)) as T
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly kind?: unknown }).kind : undefined
}

function isEffectResult(value: unknown): boolean {
  return value === undefined || (kindOf(value) === 'reject' && isRejection(value))
}

function isPermitResult(value: unknown): boolean {
  if (kindOf(value) !== 'wait') return isEffectResult(value)
  const { timeoutMs } = value as { readonly timeoutMs?: unknown }
  return typeof timeoutMs === 'number' && timeoutMs >= 0
}

function isBindResult(value: unknown): boolean {
  const kind = kindOf(value)
  return kind === 'bound' || kind === 'skip' || (kind === 'reject' && isRejection(value))
}

function isPostFilterResult(value: unknown): boolean {
  if (value === undefined) return true
  const { nodeName } = (value ?? {}) as { readonly nodeName?: unknown }
  return kindOf(value) === 'nominate' && typeof nodeName === 'string' && nodeName !== ''
}
