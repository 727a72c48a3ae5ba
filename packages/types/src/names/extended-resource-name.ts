import { qualifiedNameProblem } from './qualified-name.ts'

const QUOTA_PREFIX = 'requests.'
const MAX_DOMAIN_LENGTH = 253 - QUOTA_PREFIX.length

/** Returns whether the name contains `kubernetes.io/` anywhere (`IsPrefixedNativeResource`, Kubernetes v1.36). */
export function isPrefixedNativeResourceName(name: string): boolean {
  return name.includes('kubernetes.io/')
}

/**
 * Returns why the name is not a valid extended resource name, as one sentence without a full stop, or undefined when
 * it is valid.
 */
export function validateExtendedResourceName(name: string): string | undefined {
  if (!name.includes('/')) return 'it has no domain: write it as example.com/name'
  if (isPrefixedNativeResourceName(name)) return 'the domain kubernetes.io belongs to Kubernetes'
  if (name.startsWith(QUOTA_PREFIX)) return 'names that start with "requests." are reserved for quotas'
  if (name.indexOf('/') > MAX_DOMAIN_LENGTH) {
    return `the part before the slash has more than ${MAX_DOMAIN_LENGTH} characters`
  }
  // The resource's quota must have a valid name too. The lower-case prefix does not affect the other rules.
  return qualifiedNameProblem(name.startsWith('/') ? name : `${QUOTA_PREFIX}${name}`)
}

/**
 * The rules of {@link validateExtendedResourceName} as keywords of JSON Schema, except for the length of the domain. The
 * patterns are also valid in Go, whose Helm checks values with them.
 */
export const extendedResourceNameKeywords: { readonly pattern: string; readonly not: { readonly pattern: string } } = {
  pattern: String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`,
  not: { pattern: String.raw`^requests\.|kubernetes\.io/` },
}
