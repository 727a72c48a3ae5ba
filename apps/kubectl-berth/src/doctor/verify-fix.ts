import { isApiStatus, type ApiClient } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { ReadOptions } from '../output/read-json.ts'
import type { Fix } from './model/check.ts'
import type { VerifiedFix } from './model/verified-fix.ts'

/**
 * Tries the changes of a fix in dry runs, which store nothing. A fix that the API server refuses loses its commands; one
 * that only this user may not make keeps them.
 */
export async function verifyFix(
  { sentence, commands, safety, trials }: Fix,
  client: Pick<ApiClient, 'patch'>,
  { signal, deadline }: ReadOptions,
): Promise<VerifiedFix> {
  if (commands.length === 0 || trials.length === 0) return untriedFix({ sentence, commands, safety, trials })
  const fix = { sentence, commands, safety }
  for (const { resource, target, type, subresource, body } of trials) {
    try {
      await client.patch(resource, target, body, {
        type,
        dryRun: true,
        signal,
        deadlineMs: deadline.ms,
        ...(subresource !== undefined && { subresource }),
      })
    } catch (error) {
      signal.throwIfAborted()
      if (isApiStatus(error, 403))
        return { ...fix, state: 'untried', reason: `This user may not make the change: ${error.serverMessage}` }
      return { ...fix, commands: [], state: 'untried', reason: `A dry run failed: ${errorText(error)}` }
    }
  }
  return { ...fix, state: 'verified', reason: '' }
}

/** Returns a fix without asking the API server. */
export function untriedFix({ sentence, commands, safety, trials }: Fix): VerifiedFix {
  const fix = { sentence, commands, safety }
  if (commands.length === 0) return { ...fix, state: 'untried', reason: 'A person must make this change.' }
  if (trials.length === 0) return { ...fix, state: 'reads-only', reason: '' }
  return { ...fix, state: 'untried', reason: 'It was not tried, because the check found too many of its kind.' }
}
