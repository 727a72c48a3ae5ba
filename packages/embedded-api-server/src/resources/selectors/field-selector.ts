import type { ApiObject } from '../../schema/json/api-object.ts'
import { badRequest } from '../../schema/status/api-errors.ts'

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string
  readonly isEqual: boolean
  readonly value: string
}

/** The fields that a kind can be selected by, each with a function that reads it from an object. */
export type SelectableFields = ReadonlyMap<string, (object: ApiObject) => string>

/**
 * Parses the `fieldSelector` parameter: `field=value`, `field==value`, `field!=value`, joined by commas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) if the text is not a selector, or the kind cannot be selected by a field.
 */
export function parseFieldSelector(text: string, fields: SelectableFields): readonly FieldTerm[] {
  return parseTerms(text).map((term) => {
    if ('unreadable' in term) throw badRequest(`invalid selector: '${text}'; can't understand '${term.unreadable}'`)
    if (!fields.has(term.field)) {
      throw badRequest(
        fields.size > 2
          ? `field label not supported: ${term.field}`
          : `${JSON.stringify(term.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
      )
    }
    return term
  })
}

/** Returns the value that a selector requires of a field; `''` if it requires none or is not valid. */
export function requiredValue(text: string, field: string): string {
  const terms = parseTerms(text)
  if (terms.some((term) => 'unreadable' in term)) return ''
  const found = terms.find((term) => 'field' in term && term.field === field && term.isEqual)
  return found !== undefined && 'value' in found ? found.value : ''
}

function parseTerms(text: string): readonly (FieldTerm | { readonly unreadable: string })[] {
  return text
    .split(/(?<!\\),/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(!=|==|=)(.*)$/.exec(part)
      if (match === null) return { unreadable: part }
      const [, field = '', operator, value = ''] = match
      return { field, isEqual: operator !== '!=', value: value.replaceAll(/\\(.)/g, '$1') }
    })
}

/** Returns whether `object` matches every term. */
export function matchesFields(object: ApiObject, terms: readonly FieldTerm[], fields: SelectableFields): boolean {
  return terms.every(({ field, isEqual, value }) => (fields.get(field)?.(object) === value) === isEqual)
}
