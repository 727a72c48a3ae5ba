import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, listAt, objectAt, own, stringAt, withField } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validatePodSpec } from '../validation/validate-pod-spec.ts'
import { isStaticPod, POD_ROOT } from './static-pod.ts'
import type { SubresourceStrategy } from '../kinds/strategy.ts'

const FIELD = 'spec.ephemeralContainers'

/**
 * Write rules of `pods/ephemeralcontainers`: containers can be added, but not changed or removed.
 *
 * @see kubernetes pkg/registry/core/pod podEphemeralContainersStrategy, pkg/apis/core/validation
 *   ValidatePodEphemeralContainersUpdate (v1.36)
 */
export const podEphemeralContainersStrategy: SubresourceStrategy = {
  prepareUpdate(pod, old) {
    const sent = own(objectAt(pod, 'spec'), 'ephemeralContainers')
    const spec = withField(objectAt(old, 'spec'), 'ephemeralContainers', sent)
    return withMetadata({ ...old, spec }, { managedFields: pod.metadata.managedFields })
  },
  validate(pod, old) {
    if (isStaticPod(old)) return [fieldError.forbidden(POD_ROOT, 'static pods do not support ephemeral containers')]
    return [...validatePodSpec(objectAt(pod, 'spec'), 'spec'), ...validateExistingContainers(pod, old)]
  },
}

function validateExistingContainers(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const current = new Map(listAt(pod, 'spec', 'ephemeralContainers').map((each) => [stringAt(each, 'name'), each]))
  // Upstream ends the second sentence with the difference of two Go structs.
  return listAt(old, 'spec', 'ephemeralContainers').flatMap((before) => {
    const name = stringAt(before, 'name')
    const what = `existing ephemeral containers ${JSON.stringify(name)} may not be`
    if (!current.has(name)) return [fieldError.forbidden(FIELD, `${what} removed\n`)]
    return equalJson(current.get(name), before) ? [] : [fieldError.forbidden(FIELD, `${what} changed`)]
  })
}
