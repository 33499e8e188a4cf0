console.log('tla 1'); await new Promise((resolve) => setTimeout(resolve, 2)); console.log('tla 2');
