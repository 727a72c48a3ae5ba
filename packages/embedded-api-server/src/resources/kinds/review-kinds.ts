import { builtInKind } from './built-in-kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

const REVIEWS = [
  ['authentication.k8s.io/v1', 'SelfSubjectReview'],
  ['authentication.k8s.io/v1', 'TokenReview'],
  ['authorization.k8s.io/v1', 'LocalSubjectAccessReview'],
  ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'],
  ['authorization.k8s.io/v1', 'SelfSubjectRulesReview'],
  ['authorization.k8s.io/v1', 'SubjectAccessReview'],
] as const

/** The review kinds. The server answers a created review and does not store it; discovery lists them like other kinds. */
export const reviewKinds: readonly ResourceKind[] = REVIEWS.map(([apiVersion, kind]) => ({
  ...builtInKind(apiVersion, kind),
  shortNames: [],
  categories: [],
  hasGeneration: false,
  storage: '',
  isReview: true,
}))
