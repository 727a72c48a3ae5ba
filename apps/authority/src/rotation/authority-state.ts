import { isUsableAuthority } from '../certificates/examine-certificate.ts'
import type { KeyPair } from '../certificates/issue-certificate.ts'

/** The certificate authority, as its Secret stores it. */
export interface AuthorityState {
  /** Issues certificates. Undefined if it was lost, cannot be used, or never existed. */
  readonly current: KeyPair | undefined
  /** Replaces the current one after every verifier has read its certificate. */
  readonly next: KeyPair | undefined
  /** Since when both bundles contain `next`, ms since the epoch. Undefined: they may not contain it yet. */
  readonly publishedMs: number | undefined
  /** When the current one replaced another, ms since the epoch. Undefined: it replaced none. */
  readonly promotedMs: number | undefined
}

/** Returns the state in the data of a Secret. Keys that cannot sign now are left out. */
export function readState(data: Readonly<Record<string, string>>, nowMs: number): AuthorityState {
  const next = usable(data, 'next', nowMs)
  return {
    current: usable(data, 'current', nowMs),
    next,
    publishedMs: next === undefined ? undefined : timeIn(data['next.published']),
    promotedMs: timeIn(data['current.promoted']),
  }
}

/** Returns the data of the Secret for a state. */
export function stateData({
  current,
  next,
  publishedMs,
  promotedMs,
}: AuthorityState): Readonly<Record<string, string>> {
  return {
    ...(current !== undefined && { 'current.crt': current.cert, 'current.key': current.key }),
    ...(next !== undefined && { 'next.crt': next.cert, 'next.key': next.key }),
    ...(publishedMs !== undefined && { 'next.published': new Date(publishedMs).toISOString() }),
    ...(promotedMs !== undefined && { 'current.promoted': new Date(promotedMs).toISOString() }),
  }
}

function usable(data: Readonly<Record<string, string>>, name: string, nowMs: number): KeyPair | undefined {
  const keys = { cert: data[`${name}.crt`] ?? '', key: data[`${name}.key`] ?? '' }
  return isUsableAuthority(keys, nowMs) ? keys : undefined
}

function timeIn(text: string | undefined): number | undefined {
  const timeMs = Date.parse(text ?? '')
  return Number.isNaN(timeMs) ? undefined : timeMs
}
