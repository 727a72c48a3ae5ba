import type { Fix } from './check.ts'
import { kubectlCommand } from './kubectl-command.ts'

/**
 * Returns a fix whose commands change nothing.
 *
 * @param note - A further sentence about the safety.
 */
export function readingFix(sentence: string, commands: readonly string[], note = ''): Fix {
  return { sentence, commands, safety: `The command only reads.${note === '' ? '' : ` ${note}`}`, trials: [] }
}

/** Returns a fix that reads the last lines of the logs of a pod. */
export function logsFix(
  sentence: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Fix {
  const words = ['logs', name, '-n', namespace, '--all-containers', '--tail=50']
  return readingFix(sentence, kubectlCommand([name, namespace], ...words))
}
