import type { Taint, Toleration } from '@berth/types'

/**
 * Whether the toleration bears the taint. The comparing operators Lt and Gt never do: their feature gate is off.
 *
 * @see k8s.io/api core/v1/toleration.go ToleratesTaint (v1.36)
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '')
  return operator === 'Exists'
}

/** Whether at least one of the tolerations bears the taint. */
export function tolerationsTolerate(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => toleratesTaint(toleration, taint))
}
