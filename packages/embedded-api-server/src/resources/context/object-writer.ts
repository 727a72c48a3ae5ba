import type { ApiObject } from '../../schema/json/api-object.ts'

/** Options of a deletion, from the body and the query of a request. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: string
  /** Nothing is written. */
  readonly isDryRun?: boolean
  readonly uid?: string
  readonly resourceVersion?: string
}

/** Writes objects for the control plane, under the rules that hold for every client, by the kind's storage name. */
export interface ObjectWriter {
  /** @param statusOf - What a new object starts with as its status, where it is not what every new one starts with. */
  create(storage: string, object: ApiObject, statusOf?: (prepared: ApiObject) => object): ApiObject
  update(storage: string, old: ApiObject, next: ApiObject): ApiObject
  /** Writes `status` if it differs. */
  updateStatus(storage: string, old: ApiObject, status: object): ApiObject
  remove(storage: string, object: ApiObject, options?: DeleteOptions): void
}
