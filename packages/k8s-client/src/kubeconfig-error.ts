import type { BerthErrorOptions } from '@berth/types'
import { KubeconfigError, type KubeconfigPlace } from './errors.ts'

/** The error of a kubeconfig that was found but cannot be used: its line names file, context and key, as far as known. */
export function kubeconfigError(place: KubeconfigPlace, reason: string, options: BerthErrorOptions): KubeconfigError {
  const { file = '', context, key } = place
  const where = context === undefined ? file : `${file}, context "${context}"`
  const what = key === undefined ? reason : `${key}: ${reason}`
  return new KubeconfigError(`use kubeconfig ${where}: ${what}`, place, options)
}

/** What an exception says, in one line. */
export function lineOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.trim().replaceAll(/\s*\n\s*/g, ' ')
}
