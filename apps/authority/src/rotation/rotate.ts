import type { Logger } from '@berth/types'
import { firstCertificate, timeAtShare } from '../certificates/examine-certificate.ts'
import { createAuthority, type LeafProfile } from '../certificates/issue-certificate.ts'
import { isConflict, type SecretData, type SecretStore } from '../secrets/secret-store.ts'
import { readState, stateData, type AuthorityState } from './authority-state.ts'
import { authorityStep, RENEWAL_SHARE, type AuthorityStep } from './authority-step.ts'
import { leafContent, type LeafContent } from './leaf-content.ts'

/** A Secret of server or client. */
export interface LeafSecret {
  readonly secret: string
  readonly profile: LeafProfile
  readonly lifetimeMs: number
}

/** Settings and dependencies of a rotation. */
export interface RotationOptions {
  readonly store: SecretStore
  readonly authoritySecret: string
  readonly authorityLifetimeMs: number
  readonly leaves: readonly LeafSecret[]
  readonly rollMs: number
  /** Counts the kube-schedulers that have not read an authority that was published at this time, ms since the epoch. */
  readonly outdatedSchedulers: (publishedMs: number) => Promise<number>
  readonly now: () => number
  readonly log: Logger
}

/** A certificate after a rotation, ms since the epoch. */
export interface CertificateTimes {
  readonly expiresMs: number
  readonly renewalMs: number
}

/** The outcome of a rotation. */
export interface Rotation {
  readonly authority: CertificateTimes | undefined
  readonly nextAuthority: CertificateTimes | undefined
  /** By name of the Secret. */
  readonly leaves: ReadonlyMap<string, CertificateTimes>
  readonly outdatedSchedulers: number
  /** Names of the Secrets that were written, in this order. */
  readonly written: readonly string[]
}

const MAX_ATTEMPTS = 5
/** Each step changes what the next one depends on. After the first authority, or a promotion, there is at most one more. */
const MAX_STEPS = 3

/** Brings the authority and all certificates up to date. Starts again when another process writes the same Secrets. */
export async function rotate(options: RotationOptions): Promise<Rotation> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rotateOnce(options)
    } catch (error) {
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error
      options.log.debug({ attempt }, 'Another process wrote a Secret; reading again')
    }
  }
}

async function rotateOnce(options: RotationOptions): Promise<Rotation> {
  const { store, authoritySecret, log } = options
  const nowMs = options.now()
  const written: string[] = []
  const writeState = async (state: AuthorityState): Promise<void> => {
    await store.write(authoritySecret, stateData(state), 'Opaque')
    written.push(authoritySecret)
  }
  const stored = await store.read(authoritySecret)
  let state = readState(stored.data ?? {}, nowMs)
  if (!stored.exists && state.current !== undefined) await writeState(state)
  const before = new Map<string, LeafContent | undefined>()
  const missing = new Set<string>()
  for (const { secret } of options.leaves) {
    const { data, exists } = await store.read(secret)
    before.set(secret, contentOf(data))
    if (!exists) missing.add(secret)
  }
  const { publishedMs } = state
  const outdatedSchedulers = publishedMs === undefined ? 0 : await options.outdatedSchedulers(publishedMs)

  for (let count = 0; count < MAX_STEPS; count += 1) {
    const facts = { nowMs, leaves: [...before.values()], rollMs: options.rollMs, outdatedSchedulers }
    const step = authorityStep(state, facts)
    if (step === undefined) break
    state = await changed(state, step, { nowMs, lifetimeMs: options.authorityLifetimeMs })
    await writeState(state)
    log.info({ step }, 'Changed the certificate authority')
  }

  const leaves = new Map<string, LeafContent>()
  for (const leaf of options.leaves) {
    const { secret } = leaf
    const retentionMs = Math.max(...options.leaves.map(({ lifetimeMs }) => lifetimeMs))
    const content = await leafContent(before.get(secret), state, { ...leaf, nowMs, retentionMs })
    leaves.set(secret, content)
    if (content === before.get(secret) && !missing.has(secret)) continue
    await store.write(secret, dataOf(content), 'kubernetes.io/tls')
    written.push(secret)
    const expires = firstCertificate(content.cert)?.validToDate.toISOString()
    log.info({ secret, isNew: content.cert !== before.get(secret)?.cert, expires }, 'Wrote a certificate')
  }
  // Only now do both bundles contain it.
  if (state.next !== undefined && state.publishedMs === undefined) {
    state = { ...state, publishedMs: nowMs }
    await writeState(state)
  }
  return {
    authority: timesOf(state.current),
    nextAuthority: timesOf(state.next),
    leaves: new Map([...leaves].flatMap(([secret, leaf]) => pairOf(secret, timesOf(leaf)))),
    outdatedSchedulers,
    written,
  }
}

async function changed(
  state: AuthorityState,
  step: AuthorityStep,
  validity: { readonly nowMs: number; readonly lifetimeMs: number },
): Promise<AuthorityState> {
  if (step === 'promote') {
    return { current: state.next, next: undefined, publishedMs: undefined, promotedMs: validity.nowMs }
  }
  const created = await createAuthority(validity)
  return step === 'prepare'
    ? { ...state, next: created, publishedMs: undefined }
    : { current: created, next: undefined, publishedMs: undefined, promotedMs: undefined }
}

function contentOf(data: SecretData | undefined): LeafContent | undefined {
  if (data === undefined) return undefined
  return { cert: data['tls.crt'] ?? '', key: data['tls.key'] ?? '', bundle: data['ca.crt'] ?? '' }
}

function dataOf({ cert, key, bundle }: LeafContent): SecretData {
  return { 'ca.crt': bundle, 'tls.crt': cert, 'tls.key': key }
}

function timesOf(keys: { readonly cert: string } | undefined): CertificateTimes | undefined {
  const certificate = firstCertificate(keys?.cert ?? '')
  if (certificate === undefined) return undefined
  return { expiresMs: certificate.validToDate.getTime(), renewalMs: timeAtShare(certificate, RENEWAL_SHARE) }
}

function pairOf(name: string, times: CertificateTimes | undefined): readonly (readonly [string, CertificateTimes])[] {
  return times === undefined ? [] : [[name, times]]
}
