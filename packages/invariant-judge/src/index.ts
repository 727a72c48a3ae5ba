export type { AuditRecord } from './audit-record.ts'
export { createJudge, type Invariant, type Judge, type JudgeOptions, type Violation } from './judge.ts'
