import { numberAt, objectAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** Write rules of Leases: the duration must be positive, the count of transitions at least 0. Both may be missing. */
export const leaseStrategy: Strategy = {
  createsOnUpdate: true,
  defaults: (lease) => ({ ...lease, spec: objectAt(lease, 'spec') }),
  validate(lease) {
    const seconds = numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 1
    const transitions = numberAt(lease, 'spec', 'leaseTransitions') ?? 0
    const causes: StatusCause[] = []
    if (seconds <= 0) causes.push(fieldError.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0'))
    if (transitions < 0) {
      causes.push(fieldError.invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'))
    }
    return causes
  },
}
