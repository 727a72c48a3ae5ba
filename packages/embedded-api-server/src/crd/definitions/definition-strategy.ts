import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { updateStatusOnly } from '../../resources/kinds/status-update.ts'
import type { Strategy } from '../../resources/kinds/strategy.ts'
import { validateDefinition } from './validate-definition.ts'

/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * Write rules of CustomResourceDefinitions: missing names are derived from the kind.
 *
 * @see k8s.io/apiextensions-apiserver pkg/registry/customresourcedefinition/strategy.go (v0.36)
 */
export const definitionStrategy: Strategy = {
  defaults(definition) {
    const names = objectAt(definition, 'spec', 'names')
    const kind = stringAt(names, 'kind')
    return {
      ...definition,
      spec: {
        conversion: { strategy: 'None' },
        ...objectAt(definition, 'spec'),
        names: {
          ...names,
          singular: stringAt(names, 'singular') || kind.toLowerCase(),
          listKind: stringAt(names, 'listKind') || (kind === '' ? '' : `${kind}List`),
        },
      },
    }
  },
  prepareCreate: (definition) => ({
    ...definition,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storedVersionNames(definition),
    },
  }),
  keepStatus(definition, old) {
    const status = objectAt(old, 'status')
    const stored = listAt(status, 'storedVersions')
    const added = storedVersionNames(definition).filter((version) => !stored.includes(version))
    return added.length === 0 ? old['status'] : { ...status, storedVersions: [...stored, ...added] }
  },
  validate: (definition, old, isStatus) => (isStatus ? [] : validateDefinition(definition, old)),
  needsVersion: true,
  prepareStatusUpdate: updateStatusOnly,
  deletionFinalizer: CLEANUP_FINALIZER,
}

function storedVersionNames(definition: ApiObject): readonly string[] {
  const version = listAt(definition, 'spec', 'versions').find((each) => own(each, 'storage') === true)
  return version === undefined ? [] : [stringAt(version, 'name')]
}
