import type { ApiClient } from '@berth/k8s-client'
import { type KnownFacts, missingOf } from '../facts/facts.ts'
import type { ReadOptions } from '../output/read-json.ts'
import type { Check } from './model/check.ts'
import type { VerifiedFinding } from './model/verified-fix.ts'
import { untriedFix, verifyFix } from './verify-fix.ts'

/**
 * Result of a check. `unknown`: nothing was found, but not everything could be read. `nothing`: the cluster has nothing of
 * the kind.
 */
export type CheckStatus = 'ok' | 'warning' | 'problem' | 'unknown' | 'nothing'

/** Result of one check, with verified fixes. */
export interface CheckReport {
  readonly id: string
  readonly title: string
  readonly status: CheckStatus
  readonly examined: readonly string[]
  /** Problems first. */
  readonly findings: readonly VerifiedFinding[]
  /** Sentences about facts that could not be read. */
  readonly missing: readonly string[]
}

/** Fixes of one check that are tried: each costs a request for each object that it changes. */
const MAX_TRIED_FIXES = 50

/**
 * Runs checks on what is known about the cluster, and tries their fixes in dry runs, one after another. Of each check, 50
 * fixes are tried.
 */
export async function examineCluster(
  checks: readonly Check[],
  { facts, nowMs, unread }: KnownFacts,
  { client, ...options }: ReadOptions & { readonly client: Pick<ApiClient, 'patch'> },
): Promise<readonly CheckReport[]> {
  const context = { nowMs, unread: new Set(unread.map(({ fact }) => fact)) }
  const reports: CheckReport[] = []
  for (const check of checks) {
    const { examined, findings } = check.run(facts, context)
    const missing = missingOf(check.needs, unread)
    const verified: VerifiedFinding[] = []
    for (const [index, finding] of findings.entries()) {
      const fix = index < MAX_TRIED_FIXES ? await verifyFix(finding.fix, client, options) : untriedFix(finding.fix)
      verified.push({ ...finding, fix })
    }
    reports.push({
      id: check.id,
      title: check.title,
      status: statusOf(verified, missing.length > 0, examined.length > 0),
      examined,
      findings: verified.toSorted((a, b) => Number(b.severity === 'problem') - Number(a.severity === 'problem')),
      missing,
    })
  }
  return reports
}

function statusOf(findings: readonly VerifiedFinding[], isIncomplete: boolean, hasExamined: boolean): CheckStatus {
  if (findings.some(({ severity }) => severity === 'problem')) return 'problem'
  if (findings.length > 0) return 'warning'
  if (isIncomplete) return 'unknown'
  return hasExamined ? 'ok' : 'nothing'
}
