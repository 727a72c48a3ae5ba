import type { ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, listAt, objectAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'

/** A condition of a CustomResourceDefinition, without its transition time. */
export interface DefinitionCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Returns whether a condition of a definition is True. */
export function isConditionTrue(definition: ApiObject, type: string): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) => own(condition, 'type') === type && own(condition, 'status') === 'True',
  )
}

/** Returns the conditions with one set. Its transition time changes only with its status. */
export function withCondition(
  conditions: readonly unknown[],
  { type, status, reason, message }: DefinitionCondition,
  time: string,
): readonly unknown[] {
  const old = conditions.find((condition) => own(condition, 'type') === type)
  const lastTransitionTime = own(old, 'status') === status ? own(old, 'lastTransitionTime') : time
  const next = { lastTransitionTime, message, reason, status, type }
  if (equalJson(old, next)) return conditions
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each))
}

const NAME_FIELDS = [
  ['Plural', 'plural'],
  ['Singular', 'singular'],
  ['Kind', 'kind'],
  ['ListKind', 'listKind'],
] as const

/**
 * Returns the status of a definition after checking its names against those of the other definitions of its group.
 *
 * @see k8s.io/apiextensions-apiserver pkg/controller/status/naming_controller.go (v0.36)
 */
export function statusWithAcceptedNames(definition: ApiObject, others: readonly ApiObject[], time: string): JsonObject {
  const requestedNames = objectAt(definition, 'spec', 'names')
  const status = objectAt(definition, 'status')
  const taken = takenNames(definition, others)
  const accepted: Record<string, unknown> = { ...objectAt(status, 'acceptedNames') }
  let conflict: Pick<DefinitionCondition, 'reason' | 'message'> | undefined
  for (const [title, key] of NAME_FIELDS) {
    const name = stringAt(requestedNames, key)
    const isTaken =
      name !== accepted[key] && (key === 'kind' || key === 'listKind' ? taken.kinds : taken.resources).has(name)
    if (isTaken) conflict = { reason: `${title}Conflict`, message: `${JSON.stringify(name)} is already in use` }
    else accepted[key] = name
  }
  const short = listAt(requestedNames, 'shortNames').map(String)
  const inUse = short.filter(
    (name) => taken.resources.has(name) && !listAt(status, 'acceptedNames', 'shortNames').includes(name),
  )
  if (inUse.length > 0) {
    const sentences = inUse.map((name) => `${JSON.stringify(name)} is already in use`)
    conflict = {
      reason: 'ShortNamesConflict',
      message: sentences.length === 1 ? (sentences[0] ?? '') : `[${sentences.join(', ')}]`,
    }
  } else if (short.length > 0) accepted['shortNames'] = short
  if (listAt(requestedNames, 'categories').length > 0) accepted['categories'] = listAt(requestedNames, 'categories')
  const namesAccepted: DefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  const established: DefinitionCondition =
    conflict === undefined
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  let conditions = withCondition(listAt(status, 'conditions'), namesAccepted, time)
  if (!isConditionTrue(definition, 'Established')) conditions = withCondition(conditions, established, time)
  return { ...status, acceptedNames: accepted, conditions }
}

function takenNames(
  definition: ApiObject,
  others: readonly ApiObject[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const group = stringAt(definition, 'spec', 'group')
  const names = others
    .filter((each) => stringAt(each, 'spec', 'group') === group && each.metadata.name !== definition.metadata.name)
    .map((each) => objectAt(each, 'status', 'acceptedNames'))
  const namesAt = (key: string): readonly string[] =>
    names.map((each) => stringAt(each, key)).filter((name) => name !== '')
  return {
    resources: new Set([
      ...namesAt('plural'),
      ...namesAt('singular'),
      ...names.flatMap((each) => listAt(each, 'shortNames').map(String)),
    ]),
    kinds: new Set([...namesAt('kind'), ...namesAt('listKind')]),
  }
}
