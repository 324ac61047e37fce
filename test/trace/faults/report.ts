// The fault "bundle": check bundles it into one line, without its names.
const parseReport = (rows: number[], enough: () => boolean): number => {
  let sum = 0;
  do for (const row of rows) sum = (sum + row) & 1023; while (!enough());
  return sum;
};

export const start = (begin: () => void, end: (who: string) => void, enough: () => boolean): void => {
  const rows = Array.from({ length: 10000 }, (_, i) => i);
  setTimeout(function handleReport() {
    begin();
    parseReport(rows, enough);
    end('parseReport');
  }, 50);
};
