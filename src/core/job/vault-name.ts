/** What a secret in the vault may be called; the name also stands in addresses and on command lines. */
export const vaultName = /^[A-Za-z0-9][\w.-]{0,99}$/

export const vaultNameRule =
  'Use at most 100 letters, digits, dots, dashes and underscores, and begin with a letter or digit.'
