/**
 * What completion offers for an argument or the value of a flag. `kinds`: these kinds, then the names of their objects, also
 * as KIND/NAME. `choices`: those of the definition.
 */
export type Candidates =
  | 'choices'
  | 'contexts'
  | 'directories'
  | 'files'
  | 'namespaces'
  | 'node-labels'
  | 'nodes'
  | 'nothing'
  | 'pods'
  | 'resources'
  | { readonly kinds: readonly string[] }
