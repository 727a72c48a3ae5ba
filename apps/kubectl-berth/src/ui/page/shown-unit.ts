import { unitOf } from '../../output/resource-unit.ts'

/** Returns what follows a shown amount: ` units`, ` cores`, or nothing for bytes, whose amounts end in `Gi` and the like. */
export function shownUnit(resource: string): string {
  const unit = unitOf(resource)
  return unit === 'bytes' ? '' : ` ${unit}`
}
