import { createJudge, type AuditRecord, type Violation } from '@berth/invariant-judge'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Views that are older than this are not used by the schedulers; a bind arrives within seconds. */
const STALE_MS = 130_000

interface UserRecord extends AuditRecord {
  readonly user: { readonly username: string }
  readonly requestReceivedTimestamp: string
}

/** The audit log of a real API server with the writes of pods, nodes and Leases. */
export interface WriteLog {
  /** Flags of kube-apiserver. */
  readonly flags: readonly string[]
  /** Flags of another kube-apiserver on the same etcd. */
  readonly otherFlags: readonly string[]
  /**
   * Returns the writes so far, in the order in which their requests were received. The writes before `fromMs` have another
   * user agent, so that the replicas of an earlier test are not judged.
   */
  read(fromMs: number): readonly AuditRecord[]
}

/** Prepares an audit log in a folder. The user agent of a record is the name of its user, so that replicas differ. */
export function prepareWriteLog(dir: string): WriteLog {
  const policy = join(dir, 'audit-policy.yaml')
  const logs = [join(dir, 'audit.log'), join(dir, 'other-audit.log')] as const
  const resources = [
    { group: '', resources: ['pods', 'pods/binding', 'pods/status', 'nodes', 'nodes/status'] },
    { group: 'coordination.k8s.io', resources: ['leases'] },
  ]
  const verbs = ['create', 'update', 'patch', 'delete']
  const rules = [{ level: 'RequestResponse', verbs, resources }, { level: 'None' }]
  const omitStages = ['RequestReceived', 'ResponseStarted']
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages, rules }))
  const flagsOf = (log: string): readonly string[] => [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`]
  return {
    flags: flagsOf(logs[0]),
    otherFlags: flagsOf(logs[1]),
    read: (fromMs) =>
      logs
        .filter((log) => existsSync(log))
        .flatMap((log) => readFileSync(log, 'utf8').split('\n').slice(0, -1))
        .map((line) => JSON.parse(line) as UserRecord)
        .toSorted((a, b) => (a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1))
        .map((record) => {
          const isEarlier = Date.parse(record.requestReceivedTimestamp) < fromMs
          return { ...record, userAgent: isEarlier ? 'earlier' : record.user.username }
        }),
  }
}

/** A bind that the API server accepted. */
export interface AcceptedBind {
  readonly by: string
  readonly atMs: number
}

/** Returns the accepted binds of these users in their order. */
export function acceptedBinds(records: readonly AuditRecord[], users: RegExp): readonly AcceptedBind[] {
  return records.flatMap(({ objectRef, responseStatus, userAgent: by, stageTimestamp }) => {
    const isBind = objectRef !== undefined && 'subresource' in objectRef && objectRef.subresource === 'binding'
    const isAccepted = (responseStatus as { readonly code?: number }).code === 201
    return isBind && isAccepted && users.test(by) ? [{ by, atMs: Date.parse(stageTimestamp) }] : []
  })
}

/** Returns the violated invariants of replicas that compete for a Lease. */
export function judgeReplicas(
  records: readonly AuditRecord[],
  { users, lease }: { readonly users: RegExp; readonly lease: string },
): readonly Violation[] {
  const judge = createJudge({
    binders: users,
    components: users,
    schedulerName: 'none',
    staleMs: STALE_MS,
    hardware: 'kube-system/none',
    leader: { lease, candidates: users },
  })
  for (const record of records) judge.observe(record)
  return judge.violations()
}
