/**
 * The colours of studios by accent name: the accent itself, the wainscot on the left and at the back, the rug and
 * the curtains.
 */
export const accents: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
  terracotta: ['#d5704f', '#dfae93', '#d9a184', '#f4dfc2', '#fbefdc'],
  blue: ['#4d6da3', '#9db0c8', '#8ea4c0', '#f2e4cb', '#8fc3d9'],
  purple: ['#8c6aa3', '#b7a5c2', '#ab97b8', '#f2e4cb', '#f3b9a6'],
  amber: ['#d9982f', '#e2c48c', '#dcb877', '#f4dfc2', '#fbefdc'],
  green: ['#6c9a63', '#aac49e', '#9cb88f', '#cfdcd2', '#f1b597'],
  teal: ['#3f8f8a', '#9fb8a3', '#8fae9f', '#cfdcd2', '#f1b597'],
};

/** The colour of the letters on a studio's sign. */
export const signInk = '#fffaf0';
