import { shellCommand } from '@berth/text/shell-command'
import { isDnsSubdomain } from '@berth/types'

/**
 * Returns a kubectl command with every word quoted; no command when a name is not one that Kubernetes accepts.
 *
 * @param names - The names of objects among the words.
 */
export function kubectlCommand(names: readonly string[], ...words: readonly string[]): readonly string[] {
  return names.every((name) => isDnsSubdomain(name)) ? [shellCommand('kubectl', ...words)] : []
}
