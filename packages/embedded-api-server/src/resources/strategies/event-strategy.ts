import { stringAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Write rules of Events: they must be in the namespace of the object that they are about, or in `default` if that
 * object has no namespace.
 */
export const eventStrategy: Strategy = {
  createsOnUpdate: true,
  validate(event) {
    const namespace = stringAt(event, 'involvedObject', 'namespace')
    return event.metadata.namespace === (namespace || 'default')
      ? []
      : [fieldError.invalid('involvedObject.namespace', namespace, 'does not match event.namespace')]
  },
}
