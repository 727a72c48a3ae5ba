import { firstCertificate, isLive, timeAtShare } from '../certificates/examine-certificate.ts'
import type { KeyPair } from '../certificates/issue-certificate.ts'
import type { AuthorityState } from './authority-state.ts'

/** Share of its lifetime after which a certificate is renewed, and the next authority is created. */
export const RENEWAL_SHARE = 2 / 3
/** Share of its lifetime after which a certificate is replaced, whether or not every verifier is ready. */
const DEADLINE_SHARE = 5 / 6

/** Facts that a step depends on, besides the state. */
export interface StepFacts {
  readonly nowMs: number
  /** The certificates of server and client as stored; undefined if a Secret does not exist. */
  readonly leaves: readonly (KeyPair | undefined)[]
  /** Time between the publication of the next authority and its first use. */
  readonly rollMs: number
  /** Number of kube-schedulers that have not read the next authority, because they started before its publication. */
  readonly outdatedSchedulers: number
}

/** A change of the authority: `found` the first one, `prepare` the next one, or `promote` the next one to the current one. */
export type AuthorityStep = 'found' | 'prepare' | 'promote'

/**
 * Returns the next change of the authority; undefined if there is none to make now.
 *
 * A current authority that was lost, while certificates of it are in use, is replaced like one that expires: by a next one,
 * which is published first. The certificates stay until then, because no other authority that verifiers trust could sign new ones.
 */
export function authorityStep(state: AuthorityState, facts: StepFacts): AuthorityStep | undefined {
  const { nowMs, leaves } = facts
  const { current, next } = state
  if (next === undefined) {
    if (current !== undefined) return hasLived(current, RENEWAL_SHARE, nowMs) ? 'prepare' : undefined
    return leaves.some((leaf) => leaf !== undefined && isLive(leaf, nowMs)) ? 'prepare' : 'found'
  }
  return isReady(state, facts) || isUrgent(current, leaves, nowMs) ? 'promote' : undefined
}

function isReady({ publishedMs }: AuthorityState, { nowMs, rollMs, outdatedSchedulers }: StepFacts): boolean {
  return publishedMs !== undefined && nowMs >= publishedMs + rollMs && outdatedSchedulers === 0
}

function isUrgent(current: KeyPair | undefined, leaves: StepFacts['leaves'], nowMs: number): boolean {
  if (current !== undefined) return hasLived(current, DEADLINE_SHARE, nowMs)
  return leaves.some((leaf) => leaf === undefined || !isLive(leaf, nowMs) || hasLived(leaf, DEADLINE_SHARE, nowMs))
}

function hasLived({ cert }: KeyPair, share: number, nowMs: number): boolean {
  const certificate = firstCertificate(cert)
  return certificate === undefined || nowMs >= timeAtShare(certificate, share)
}
