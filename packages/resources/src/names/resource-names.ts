import { isPrefixedNativeResourceName, validateExtendedResourceName } from '@berth/types'
import { memoizeBounded } from '../memoize-bounded.ts'

/** Returns whether the name belongs to Kubernetes itself: no slash, or {@link isPrefixedNativeResourceName}. */
export function isNativeResourceName(name: string): boolean {
  return !name.includes('/') || isPrefixedNativeResourceName(name)
}

/** Returns whether the name starts with `hugepages-`. */
export function isHugePageResourceName(name: string): boolean {
  return name.startsWith('hugepages-')
}

/** Returns whether the name starts with `attachable-volumes-`. */
export function isAttachableVolumeResourceName(name: string): boolean {
  return name.startsWith('attachable-volumes-')
}

const isExtendedMemoized = memoizeBounded((name) => validateExtendedResourceName(name) === undefined, {
  limit: 8192,
  maxLength: 320,
})

/**
 * Returns whether the name is valid for an extended resource, a countable resource that Kubernetes itself does not
 * define.
 */
export function isExtendedResourceName(name: string): boolean {
  return isExtendedMemoized(name)
}

const isScalarMemoized = memoizeBounded(
  (name) =>
    isHugePageResourceName(name) ||
    isPrefixedNativeResourceName(name) ||
    isAttachableVolumeResourceName(name) ||
    isExtendedResourceName(name),
  { limit: 8192, maxLength: 320 },
)

/** Returns whether the scheduler accounts the name as a scalar resource (`IsScalarResourceName`, v1.36). */
export function isScalarResourceName(name: string): boolean {
  return isScalarMemoized(name)
}

/** Returns whether requests may be lower than limits: native names except huge pages. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResourceName(name) && !isHugePageResourceName(name)
}

/** Returns whether a pod-level request may have the name (KEP-2837): cpu, memory and huge pages. */
export function isPodLevelResourceName(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResourceName(name)
}
