import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, listAt, objectAt, own, stringAt, withField } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validatePodSpec } from '../validation/validate-pod-spec.ts'
import { isStaticPod, WHOLE_POD } from './static-pod.ts'
import type { SubresourceStrategy } from '../kinds/strategy.ts'

const PATH = 'spec.ephemeralContainers'

/**
 * How `pods/ephemeralcontainers` is written: containers come, and stay as they came.
 *
 * @see kubernetes pkg/registry/core/pod podEphemeralContainersStrategy, pkg/apis/core/validation
 *   ValidatePodEphemeralContainersUpdate (v1.36)
 */
export const podEphemeralContainers: SubresourceStrategy = {
  prepareUpdate(pod, old) {
    const sent = own(objectAt(pod, 'spec'), 'ephemeralContainers')
    const spec = withField(objectAt(old, 'spec'), 'ephemeralContainers', sent)
    return withMetadata({ ...old, spec }, { managedFields: pod.metadata.managedFields })
  },
  validate(pod, old) {
    if (isStaticPod(old)) return [fieldError.forbidden(WHOLE_POD, 'static pods do not support ephemeral containers')]
    return [...validatePodSpec(objectAt(pod, 'spec'), 'spec'), ...changedContainers(pod, old)]
  },
}

function changedContainers(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const now = new Map(listAt(pod, 'spec', 'ephemeralContainers').map((each) => [stringAt(each, 'name'), each]))
  // Upstream ends the second sentence with the difference of two Go structs.
  return listAt(old, 'spec', 'ephemeralContainers').flatMap((before) => {
    const name = stringAt(before, 'name')
    const what = `existing ephemeral containers ${JSON.stringify(name)} may not be`
    if (!now.has(name)) return [fieldError.forbidden(PATH, `${what} removed\n`)]
    return equalJson(now.get(name), before) ? [] : [fieldError.forbidden(PATH, `${what} changed`)]
  })
}
