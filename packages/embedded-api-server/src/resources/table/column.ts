import type { ApiObject } from '../../schema/json/api-object.ts'

/** One column of a table. */
export interface Column {
  readonly name: string
  /** JSON type of the cells. Default: string. */
  readonly type?: string
  /** `name` marks the column that `-o name` and deletions use. */
  readonly format?: string
  /** 1: shown only by `-o wide`. */
  readonly priority?: number
  readonly description?: string
  /** @param nowMs - Wall-clock time, for ages. */
  readonly cell: (object: ApiObject, nowMs: number) => string | number | boolean | null
}
