import { firstCertificate, isCurrent, isIssued, isLive, timeAtShare } from '../certificates/examine-certificate.ts'
import { issueLeaf, type KeyPair, type LeafProfile } from '../certificates/issue-certificate.ts'
import { pemCertificates } from '@berth/process/certificates'
import type { AuthorityState } from './authority-state.ts'
import { RENEWAL_SHARE } from './authority-step.ts'

/** The content of a Secret of server or client. */
export interface LeafContent extends KeyPair {
  /** The authorities that its holder trusts, PEM. */
  readonly bundle: string
}

/** How to bring a Secret of server or client up to date. */
export interface LeafOptions {
  readonly profile: LeafProfile
  readonly nowMs: number
  readonly lifetimeMs: number
  /** Time for which an authority that was replaced stays trusted. */
  readonly retentionMs: number
}

/**
 * Returns the content that a Secret should have: `before` itself if nothing changes. While there is no current
 * authority, the certificate stays.
 */
export async function leafContent(
  before: LeafContent | undefined,
  state: AuthorityState,
  options: LeafOptions,
): Promise<LeafContent> {
  const bundle = bundleOf(before?.bundle ?? '', state, options)
  const keeps = before !== undefined && (state.current === undefined || isFresh(before, state.current, options))
  if (keeps) return before.bundle === bundle ? before : { ...before, bundle }
  if (state.current === undefined) throw new Error('no authority can issue the certificate')
  return { ...(await issueLeaf(state.current, options.profile, options)), bundle }
}

function isFresh(leaf: LeafContent, current: KeyPair, { profile, nowMs }: LeafOptions): boolean {
  const certificate = firstCertificate(leaf.cert)
  return (
    certificate !== undefined &&
    isLive(leaf, nowMs) &&
    isIssued(certificate, profile, current) &&
    nowMs < timeAtShare(certificate, RENEWAL_SHARE)
  )
}

/** Returns the current and the next authority, and during a roll those that the bundle already has. */
function bundleOf(before: string, state: AuthorityState, { nowMs, retentionMs }: LeafOptions): string {
  const { current, next, promotedMs } = state
  const own = [current, next].flatMap((keys) => (keys === undefined ? [] : [keys.cert.trim()]))
  const keepsOld = current === undefined || (promotedMs !== undefined && nowMs < promotedMs + retentionMs)
  const old = keepsOld
    ? pemCertificates(before)
        .filter((certificate) => isCurrent(certificate, nowMs))
        .map((certificate) => certificate.toString().trim())
        .filter((pem) => !own.includes(pem))
    : []
  return `${[...own, ...new Set(old)].join('\n')}\n`
}
