// 1: and those of one time in the order of their starts
for (const name of ['a', 'b', 'c']) setTimeout(() => console.log(name), 5);
