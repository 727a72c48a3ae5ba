import { isThenable } from './describe-value.ts'

/** The results that bindingAnnotations may return, for messages. */
export const ANNOTATIONS =
  'undefined or an object whose keys are annotation names and whose values are texts of at most 1,024 characters'

/** Longer annotations are not part of the cluster state, so filters would not see them. */
const MAX_VALUE_LENGTH = 1_024
const annotationName = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** Returns whether a value is a result that the contract of bindingAnnotations allows. */
export function areBindingAnnotations(value: unknown): value is Readonly<Record<string, string>> | undefined {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isThenable(value)) return false
  return Object.entries(value).every(
    ([name, text]) => annotationName.test(name) && typeof text === 'string' && text.length <= MAX_VALUE_LENGTH,
  )
}
