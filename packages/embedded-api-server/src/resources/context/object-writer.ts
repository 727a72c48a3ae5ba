import type { ApiObject } from '../../schema/json/api-object.ts'

/** Options of a deletion. Requests set them in the body or in the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: string
  /** Whether to delete nothing. */
  readonly isDryRun?: boolean
  readonly uid?: string
  readonly resourceVersion?: string
}

/** Writes objects for the control plane, under the same rules as for clients. Kinds are given by their storage name. */
export interface ObjectWriter {
  /** @param statusOf - Returns the status of the new object. Default: the status that every new object has. */
  create(storage: string, object: ApiObject, statusOf?: (prepared: ApiObject) => object): ApiObject
  update(storage: string, old: ApiObject, next: ApiObject): ApiObject
  /** Writes `status` if it differs. */
  updateStatus(storage: string, old: ApiObject, status: object): ApiObject
  remove(storage: string, object: ApiObject, options?: DeleteOptions): void
}
